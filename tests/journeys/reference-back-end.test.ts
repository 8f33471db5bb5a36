import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { sharedChromium } from '#support/browsers/chromium.ts'
import { openWatchedPage } from '#support/browsers/watched-page.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { firstPassport } from '#support/data/applicants.ts'
import {
  type ReferenceBackEnd,
  startReferenceBackEnd,
} from '#support/servers/reference-back-end/reference-back-end.ts'
import { startStaticPortal } from '#support/servers/static-portal.ts'

type Service = { backEnd: ReferenceBackEnd; origin: string; close: () => Promise<void> }

/** The build of the run, which every other test uses: it names no API and no gateway. */
const builtClient = join(import.meta.dirname, '../../dist/client')

describe('a back end that knows only the specification, on the same origin (D5, D67)', () => {
  let service: Service
  beforeAll(async () => {
    service = await startOnOneOrigin(builtClient)
  })
  afterAll(() => service?.close())

  it('takes a mobile payment and a date, and gives a receipt, in French', async () => {
    const { applicant, leave } = await openApplicant(service, 'fr')
    const number = await confirmForm(applicant, '671200001')
    await payByPhone(applicant, '671200001')
    await applicant.bookPlace()
    await finish(applicant, number)
    await leave()
  })

  it('takes a mobile payment with a code and an entry of the general queue, in English', async () => {
    const { applicant, leave } = await openApplicant(service, 'en')
    const number = await confirmForm(applicant, '671200002')
    await payByPhone(applicant, '671200077', service.backEnd)
    await joinGeneralQueue(applicant)
    await finish(applicant, number)
    await leave()
  })
})

async function startOnOneOrigin(root: string): Promise<Service> {
  const backEnd = await startReferenceBackEnd()
  const portal = await startStaticPortal({ root, handleApi: backEnd.handle })
  return {
    backEnd,
    origin: portal.origin,
    async close() {
      await portal.close()
      backEnd.close()
    },
  }
}

/** Opens the welcome page. `leave` logs out, and checks what the whole visit must not do. */
async function openApplicant({ backEnd, origin }: Service, language: Language) {
  const { page, context, faults } = await openWatchedPage(await sharedChromium(), { origin })
  const applicant = createApplicant(page, backEnd, language)
  await applicant.chooseLanguage()

  async function leave() {
    const openBefore = backEnd.openSessions()
    await applicant.button('button.close').click()
    await applicant.heading('procedure.heading')
    await page.getByRole('button', { name: applicant.t('button.logOut') }).click()
    await applicant.heading('welcome.heading')
    await expect.poll(backEnd.openSessions).toBe(openBefore - 1)
    expect(backEnd.unknownCalls).toEqual([])
    expect(faults).toEqual({ requests: [], console: [] })
    await context.close()
  }

  return { page, applicant, leave }
}

/** Signs in by phone, fills the four tabs and confirms the data. Resolves to the application number. */
async function confirmForm(applicant: Applicant, phone: string): Promise<string> {
  await applicant.signInByPhone(phone)
  await applicant.startApplication()
  await applicant.fillForm({ ...firstPassport, phoneNumber: phone })
  await applicant.confirmData()
  return applicant.applicationNumber()
}

/** Pays from this number. With a back end, its operator asks for a code. */
async function payByPhone(
  { t, page, named, button, heading, goToAppointment }: Applicant,
  phone: string,
  codes?: ReferenceBackEnd,
) {
  await page.getByRole('radio', { name: t('method.MOBILE') }).check()
  await named('phone').fill(phone)
  await button('button.pay').click()
  if (codes) {
    await heading('payOtp.heading')
    await page.getByLabel(t('payOtp.code')).fill(codes.newestPaymentCode())
    await button('button.continue').click()
  }
  await heading('payResult.heading')
  await page.getByText(t('status.SUCCESS')).first().waitFor()
  await goToAppointment()
}

/** The only office of the only city of France offers no dates. */
async function joinGeneralQueue({ page, t, named, button, heading }: Applicant) {
  await named('country').selectOption('11037')
  await page.getByRole('heading', { name: t('appointment.generalQueue') }).waitFor()
  await button('button.confirm').click()
  await heading('schedule.heading')
}

async function finish(applicant: Applicant, number: string) {
  const receipt = await applicant.finalize()
  expect(await readPdfText(await receipt.path())).toContain(`${number} Ngo Biyong`)
  const again = await applicant.downloadReceipt()
  expect(await readPdfText(await again.path())).toContain(number)
}
