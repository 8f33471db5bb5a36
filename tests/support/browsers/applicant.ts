import type { Download, Page } from 'playwright-core'
import type { Language } from '#contract/codes.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { OpenPortal } from '#support/servers/portal.ts'
import { createBookingSteps } from './applicant-booking.ts'
import { createControls } from './applicant-controls.ts'
import { createFormSteps } from './applicant-form.ts'
import { createSignInSteps } from './applicant-sign-in.ts'

/** An applicant with a browser: finds controls by their visible texts, and does single steps or the whole journey. */
export type Applicant = ReturnType<typeof createApplicant>

export function createApplicant(page: Page, portal: Pick<OpenPortal, 'codeFor'>, language: Language) {
  const controls = createControls(page, language)
  const { t, heading, button, field, named, chooseRadio, fillDate } = controls
  const signIn = createSignInSteps({ controls, portal, language })
  const form = createFormSteps(controls)
  const booking = createBookingSteps(controls)

  async function startApplication() {
    await page.getByRole('button', { name: t('procedure.new') }).click()
    await heading('tab.GeneralData')
  }

  async function applicationNumber(): Promise<string> {
    const number = new URL(page.url()).pathname.split('/')[3]
    if (!number) throw new Error(`${page.url()} has no application number`)
    return decodeURIComponent(number)
  }

  /** Does all steps from the welcome page to Finalize. Resolves to the application number and the receipt. */
  async function completeJourney(phone: string): Promise<{ number: string; receipt: Download }> {
    await signIn.signInByPhone(phone)
    await startApplication()
    const number = await applicationNumber()
    await form.fillForm({ ...firstPassport, phoneNumber: phone.replaceAll(' ', '') })
    await booking.confirmData()
    await booking.payByDemonstration()
    await booking.bookPlace()
    return { number, receipt: await booking.finalize() }
  }

  return {
    page,
    t,
    heading,
    button,
    field,
    named,
    chooseRadio,
    fillDate,
    ...signIn,
    ...form,
    ...booking,
    startApplication,
    applicationNumber,
    completeJourney,
  }
}
