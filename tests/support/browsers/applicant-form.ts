import type { FormValues } from '#contract/application.ts'
import type { Key } from '#support/data/texts.ts'
import type { ApplicantControls } from './applicant-controls.ts'

/** Returns the functions that fill the tabs of the form with the answers of `form`. All need the form page. */
export function createFormSteps(controls: ApplicantControls) {
  const { page, t, button, heading } = controls

  /** Presses Continue and waits for the heading of the next tab. */
  async function continueTo(next: Key) {
    await button('button.continue').click()
    await heading(next)
  }

  /** Fills all four tabs from the first, without the Submit. */
  async function fillTabs(form: FormValues) {
    await fillGeneral(controls, form)
    await continueTo('tab.PersonData')
    await fillPerson(controls, form)
    await continueTo('tab.ParentData')
    await fillParents(controls, form)
    await continueTo('tab.NicData')
    await fillDocuments(controls, form)
  }

  return {
    fillGeneral: (form: FormValues) => fillGeneral(controls, form),
    fillPerson: (form: FormValues) => fillPerson(controls, form),
    fillParents: (form: FormValues) => fillParents(controls, form),
    fillDocuments: (form: FormValues) => fillDocuments(controls, form),
    fillTabs,
    continueTo,
    /**
     * Waits until the page says that it has saved the answers. It says "on this device" only until it sends them, two
     * seconds after the save, so a wait for these words alone may miss them.
     */
    async waitForSavedAnswers() {
      await page
        .getByText(t('form.kept'))
        .or(page.getByText(t('form.onServer')))
        .first()
        .waitFor()
    },
    /** Fills all four tabs from the first, submits, and waits for the confirmation page. */
    async fillForm(form: FormValues) {
      await fillTabs(form)
      await button('button.submit').click()
      await heading('confirm.heading')
    },
  }
}

async function fillGeneral({ named }: ApplicantControls, form: FormValues) {
  await named('reason').selectOption(form.reason)
  await named('travelDestination').fill(form.travelDestination)
  await named('reasonForTravel').fill(form.reasonForTravel)
}

async function fillPerson(controls: ApplicantControls, form: FormValues) {
  const { field, named, chooseRadio, fillDate, fillPlace } = controls
  await named('surname').fill(form.surname)
  await named('givenName').fill(form.givenName)
  await chooseRadio('field.gender', `gender.${form.gender}` as Key) // the test data have a code of the catalogue
  if (form.dateOfBirthUnknown) await field('field.dateOfBirthUnknown').check()
  await fillDate('field.dateOfBirth', form.dayOfBirth, form.monthOfBirth, form.yearOfBirth)
  await fillPlace(form, ['placeOfBirth', 'regionCode', 'departmentCode', 'localityId', 'city'])
  await fillContact(controls, form)
  if (form.occupation) await named('occupation').selectOption(form.occupation)
  if (form.otherOccupation) await named('otherOccupation').fill(form.otherOccupation)
  await fillPlace(form, [
    'resAddressCountry',
    'resAddressRegionCode',
    'resAddressDepartmentCode',
    'resAddressLocalityId',
    'resAddressCity',
  ])
  await named('resAddressStreet').fill(form.resAddressStreet)
}

/** Skips the verified contacts, because their fields are read-only. */
async function fillContact({ named }: ApplicantControls, form: FormValues) {
  if (await named('phoneNumber').isEditable()) {
    await named('dialCode').selectOption(form.dialCode)
    await named('phoneNumber').fill(form.phoneNumber)
  }
  if (await named('email').isEditable()) await named('email').fill(form.email)
}

async function fillParents(controls: ApplicantControls, form: FormValues) {
  for (const name of ['motherSurname', 'motherGivenName', 'fatherSurname', 'fatherGivenName'] as const)
    await controls.named(name).fill(form[name])
  await controls.chooseRadio('field.addReprData', `answer.${form.addReprData}` as Key) // the test data have YES or NO
  if (form.addReprData === 'YES') await fillRepresentative(controls, form)
}

async function fillRepresentative(controls: ApplicantControls, form: FormValues) {
  const { named, chooseRadio, fillDate, fillWholeDate, fillPlace } = controls
  await named('reprSurname').fill(form.reprSurname)
  await named('reprGivenName').fill(form.reprGivenName)
  await chooseRadio('field.reprGender', `gender.${form.reprGender}` as Key) // the test data have a code of the catalogue
  if (form.reprDateOfBirthUnknown) await named('reprDateOfBirthUnknown').check()
  await fillDate('field.reprDateOfBirth', form.reprDayOfBirth, form.reprMonthOfBirth, form.reprYearOfBirth)
  await fillPlace(form, [
    'reprPlaceOfBirth',
    'reprRegionCode',
    'reprDepartmentCode',
    'reprLocalityId',
    'reprCity',
  ])
  await named('reprCountryOfResidence').selectOption(form.reprCountryOfResidence)
  if (form.reprOccupation) await named('reprOccupation').selectOption(form.reprOccupation)
  if (form.reprOtherOccupation) await named('reprOtherOccupation').fill(form.reprOtherOccupation)
  if (form.reprNicNumber === '') return
  await named('reprNicNumber').fill(form.reprNicNumber)
  await fillWholeDate('field.reprNicDateOfIssuance', form.reprNicDateOfIssuance)
  await fillWholeDate('field.reprNicDateOfExpiry', form.reprNicDateOfExpiry)
  await named('reprNicPlaceOfIssuance').fill(form.reprNicPlaceOfIssuance)
}

async function fillDocuments({ named, chooseRadio, fillWholeDate }: ApplicantControls, form: FormValues) {
  await chooseRadio('field.selectNic', `nic.${form.selectNic}` as Key) // the test data have 1, 2 or 3
  if (form.selectNic !== '1') {
    await named('nicNumber').fill(form.nicNumber)
    await fillWholeDate('field.nicDateOfIssuance', form.nicDateOfIssuance)
    await fillWholeDate('field.nicDateOfExpiry', form.nicDateOfExpiry)
    await named('nicPlaceOfIssuance').fill(form.nicPlaceOfIssuance)
  }
  if (form.eppNumber === '') return
  await named('eppNumber').fill(form.eppNumber)
  await fillWholeDate('field.eppDateOfIssuance', form.eppDateOfIssuance)
}
