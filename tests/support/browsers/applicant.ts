import { expect } from 'vitest'
import type { Download, Locator, Page } from 'playwright-core'
import type { FormValues } from '#contract/application.ts'
import type { Language } from '#contract/codes.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { monthKey } from '#support/data/month-key.ts'
import type { OpenPortal } from '#support/servers/portal.ts'
import { arriveSignedIn } from './signed-in.ts'
import { type Key, textsOf } from '#support/data/texts.ts'

/** Somebody with a phone in the hand: finds things by what stands on the screen, and does one thing at a time. */
export type Applicant = ReturnType<typeof createApplicant>

export function createApplicant(page: Page, portal: Pick<OpenPortal, 'codeFor'>, language: Language) {
  const t = textsOf(language)
  const main = page.getByRole('main')
  const button = (key: Key) => main.getByRole('button', { name: t(key), exact: true })
  const field = (key: Key) => main.getByLabel(t(key), { exact: false })

  async function heading(key: Key) {
    await page.getByRole('heading', { level: 1, name: t(key) }).waitFor()
  }

  async function chooseLanguage() {
    await page.goto('/')
    await page.getByRole('button', { name: language.toUpperCase(), exact: true }).click()
    await heading('welcome.heading')
  }

  /** By calls instead of screens: for tests that begin after the sign-in. Returns the access token. */
  async function signInByCalls(contact: string): Promise<string> {
    const token = await arriveSignedIn(page, { portal, language, contact })
    await heading('procedure.heading')
    return token
  }

  async function signInByPhone(subscriber: string) {
    await page.getByRole('link', { name: t('welcome.phone') }).click()
    await heading('mobile.heading')
    await main.locator('[name="phoneNumber"]').fill(subscriber)
    await button('button.continue').click()
    await enterCode(`237${subscriber.replaceAll(' ', '')}`)
  }

  async function signInByEmail(address: string) {
    await page.getByRole('link', { name: t('welcome.email') }).click()
    await heading('mail.heading')
    await field('mail.address').fill(address)
    await button('button.continue').click()
    await enterCode(address)
  }

  async function enterCode(contact: string) {
    await heading('password.heading')
    const code = await portal.codeFor(contact)
    await main.getByLabel(t('password.code')).fill(code)
    await button('button.continue').click()
    await heading('procedure.heading')
  }

  async function startApplication() {
    await page.getByRole('button', { name: t('procedure.new') }).click()
    await heading('tab.GeneralData')
  }

  async function fillGeneral(form: FormValues) {
    await fieldNamed('reason').selectOption(form.reason)
    await fieldNamed('travelDestination').fill(form.travelDestination)
    await fieldNamed('reasonForTravel').fill(form.reasonForTravel)
  }

  async function fillPerson(form: FormValues) {
    await fieldNamed('surname').fill(form.surname)
    await fieldNamed('givenName').fill(form.givenName)
    await chooseRadio('field.gender', `gender.${form.gender}` as Key) // the two genders of the contract
    if (form.dateOfBirthUnknown) await field('field.dateOfBirthUnknown').check()
    await fillDate('field.dateOfBirth', form.dayOfBirth, form.monthOfBirth, form.yearOfBirth)
    await fillPlace(
      ['placeOfBirth', 'regionCode', 'departmentCode', 'localityId', 'city'].map(name => [name, form]),
    )
    await fillContact(form)
    if (form.occupation) await fieldNamed('occupation').selectOption(form.occupation)
    if (form.otherOccupation) await fieldNamed('otherOccupation').fill(form.otherOccupation)
    await fillPlace(
      [
        'resAddressCountry',
        'resAddressRegionCode',
        'resAddressDepartmentCode',
        'resAddressLocalityId',
        'resAddressCity',
      ].map(name => [name, form]),
    )
    await fieldNamed('resAddressStreet').fill(form.resAddressStreet)
  }

  /** What sign-in supplied is locked and stays as it is. */
  async function fillContact(form: FormValues) {
    if (await fieldNamed('phoneNumber').isEditable()) {
      await fieldNamed('dialCode').selectOption(form.dialCode)
      await fieldNamed('phoneNumber').fill(form.phoneNumber)
    }
    if (await fieldNamed('email').isEditable()) await fieldNamed('email').fill(form.email)
  }

  async function fillParents(form: FormValues) {
    for (const name of ['motherSurname', 'motherGivenName', 'fatherSurname', 'fatherGivenName'] as const)
      await fieldNamed(name).fill(form[name])
    await chooseRadio('field.addReprData', `answer.${form.addReprData}` as Key) // YES or NO in a golden applicant
    if (form.addReprData === 'YES') await fillRepresentative(form)
  }

  async function fillRepresentative(form: FormValues) {
    await fieldNamed('reprSurname').fill(form.reprSurname)
    await fieldNamed('reprGivenName').fill(form.reprGivenName)
    await chooseRadio('field.reprGender', `gender.${form.reprGender}` as Key) // as above
    if (form.reprDateOfBirthUnknown) await fieldNamed('reprDateOfBirthUnknown').check()
    await fillDate('field.reprDateOfBirth', form.reprDayOfBirth, form.reprMonthOfBirth, form.reprYearOfBirth)
    await fillPlace(
      ['reprPlaceOfBirth', 'reprRegionCode', 'reprDepartmentCode', 'reprLocalityId', 'reprCity'].map(name => [
        name,
        form,
      ]),
    )
    await fieldNamed('reprCountryOfResidence').selectOption(form.reprCountryOfResidence)
    if (form.reprOccupation) await fieldNamed('reprOccupation').selectOption(form.reprOccupation)
    if (form.reprOtherOccupation) await fieldNamed('reprOtherOccupation').fill(form.reprOtherOccupation)
    if (form.reprNicNumber === '') return
    await fieldNamed('reprNicNumber').fill(form.reprNicNumber)
    await fillWholeDate('field.reprNicDateOfIssuance', form.reprNicDateOfIssuance)
    await fillWholeDate('field.reprNicDateOfExpiry', form.reprNicDateOfExpiry)
    await fieldNamed('reprNicPlaceOfIssuance').fill(form.reprNicPlaceOfIssuance)
  }

  async function fillDocuments(form: FormValues) {
    await chooseRadio('field.selectNic', `nic.${form.selectNic}` as Key) // 1, 2 or 3 in a golden applicant
    if (form.selectNic !== '1') {
      await fieldNamed('nicNumber').fill(form.nicNumber)
      await fillWholeDate('field.nicDateOfIssuance', form.nicDateOfIssuance)
      await fillWholeDate('field.nicDateOfExpiry', form.nicDateOfExpiry)
      await fieldNamed('nicPlaceOfIssuance').fill(form.nicPlaceOfIssuance)
    }
    if (form.eppNumber === '') return
    await fieldNamed('eppNumber').fill(form.eppNumber)
    await fillWholeDate('field.eppDateOfIssuance', form.eppDateOfIssuance)
  }

  async function fillForm(form: FormValues) {
    await fillGeneral(form)
    await continueTo('tab.PersonData')
    await fillPerson(form)
    await continueTo('tab.ParentData')
    await fillParents(form)
    await continueTo('tab.NicData')
    await fillDocuments(form)
    await button('button.submit').click()
    await heading('confirm.heading')
  }

  async function continueTo(next: Key) {
    await button('button.continue').click()
    await heading(next)
  }

  async function confirmData() {
    await button('button.confirm').click()
    await heading('payment.heading')
  }

  /** `before` runs while the result is on the screen. */
  async function payByDemo({ before = async () => {} }: { before?: () => Promise<void> } = {}) {
    await main.getByRole('radio', { name: t('method.MOCK') }).check()
    await button('button.pay').click()
    await heading('payResult.heading')
    await main.getByText(t('status.SUCCESS')).first().waitFor()
    await before()
    await main
      .getByRole('link', { name: t('button.continueToAppointment') })
      .or(button('button.continueToAppointment'))
      .click()
    await heading('appointment.heading')
  }

  /**
   * A place far enough ahead that it may still be changed, whatever day of the week it is. `before` runs while the
   * chosen place is on the screen.
   */
  async function bookSlot({ before = async () => {} }: { before?: () => Promise<void> } = {}) {
    await fieldNamed('country').selectOption('10998')
    await fieldNamed('city').selectOption({ label: 'Yaoundé' })
    await fieldNamed('officeId').selectOption({ index: 1 })
    await expect.poll(() => fieldNamed('time').inputValue()).not.toBe('')
    await fieldNamed('date').selectOption({ index: 6 })
    await expect.poll(() => fieldNamed('time').inputValue()).not.toBe('')
    await before()
    await button('button.confirm').click()
    await heading('schedule.heading')
  }

  /** Finalizing downloads the receipt by itself (APT22). */
  async function finalize(): Promise<Download> {
    const receipt = page.waitForEvent('download')
    await button('button.finalize').click()
    await heading('final.heading')
    return receipt
  }

  /** From the welcome page to the receipt that Finalize downloads. */
  async function completeJourney(phone: string): Promise<{ number: string; receipt: Download }> {
    await signInByPhone(phone)
    await startApplication()
    const number = await applicationNumber()
    await fillForm({ ...firstPassport, phoneNumber: phone.replaceAll(' ', '') })
    await confirmData()
    await payByDemo()
    await bookSlot()
    return { number, receipt: await finalize() }
  }

  async function downloadReceipt(): Promise<Download> {
    const receipt = page.waitForEvent('download')
    await button('button.downloadPdf').click()
    return receipt
  }

  async function applicationNumber(): Promise<string> {
    return decodeURIComponent(new URL(page.url()).pathname.split('/')[3] ?? '')
  }

  function fieldNamed(name: string): Locator {
    return main.locator(`[name="${name}"]`)
  }

  async function chooseRadio(group: Key, answer: Key) {
    await main
      .getByRole('group', { name: t(group) })
      .getByLabel(t(answer), { exact: true })
      .check()
  }

  async function fillDate(group: Key, day: string, month: string, year: string) {
    const parts = main.getByRole('group', { name: t(group) }).first()
    if (day) await parts.getByLabel(t('date.day'), { exact: true }).fill(day)
    if (month)
      await parts.getByLabel(t('date.month'), { exact: true }).selectOption({ label: t(monthKey(month)) })
    await parts.getByLabel(t('date.year'), { exact: true }).fill(year)
  }

  async function fillWholeDate(group: Key, date: string) {
    const [year = '', month = '', day = ''] = date.split('-')
    await fillDate(group, day, month, year)
  }

  /** A country, and then either the cascade or the city: whatever the form shows for it. */
  async function fillPlace(fields: [string, FormValues][]) {
    for (const [name, form] of fields) {
      const value = String(form[name as keyof FormValues]) // names of the form's own fields
      if (value === '') continue
      const control = fieldNamed(name)
      const tag = await control.evaluate(element => element.tagName)
      if (tag === 'SELECT') await control.selectOption(value)
      else await control.fill(value)
    }
  }

  return {
    page,
    t,
    heading,
    button,
    field,
    named: fieldNamed,
    chooseLanguage,
    signInByCalls,
    signInByPhone,
    signInByEmail,
    startApplication,
    fillGeneral,
    fillPerson,
    fillParents,
    fillDocuments,
    fillForm,
    goOn: continueTo,
    confirmData,
    payByDemonstration: payByDemo,
    bookPlace: bookSlot,
    finalize,
    walkToReceipt: completeJourney,
    downloadReceipt,
    applicationNumber,
  }
}
