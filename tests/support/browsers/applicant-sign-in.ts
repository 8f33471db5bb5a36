import type { Language } from '#contract/codes.ts'
import type { OpenPortal } from '#support/servers/portal.ts'
import type { ApplicantControls } from './applicant-controls.ts'
import { arriveSignedIn } from './signed-in.ts'

type SignInParts = {
  controls: ApplicantControls
  portal: Pick<OpenPortal, 'codeFor'>
  language: Language
}

/** The steps from the welcome page to the list of applications. */
export function createSignInSteps({ controls, portal, language }: SignInParts) {
  const { page, t, main, button, field, named, heading } = controls

  async function enterCode(contact: string) {
    await heading('password.heading')
    const code = await portal.codeFor(contact)
    await main.getByLabel(t('password.code')).fill(code)
    await button('button.continue').click()
    await heading('procedure.heading')
  }

  return {
    async chooseLanguage() {
      await page.goto('/')
      await page.getByRole('button', { name: language.toUpperCase(), exact: true }).click()
      await heading('welcome.heading')
    },
    /** Signs in by calls instead of screens, for tests that begin after the sign-in. Returns the access token. */
    async signInByCalls(contact: string): Promise<string> {
      const token = await arriveSignedIn(page, { portal, language, contact })
      await heading('procedure.heading')
      return token
    },
    async signInByPhone(subscriber: string) {
      await page.getByRole('link', { name: t('welcome.phone') }).click()
      await heading('mobile.heading')
      await named('phoneNumber').fill(subscriber)
      await button('button.continue').click()
      await enterCode(`237${subscriber.replaceAll(' ', '')}`)
    },
    async signInByEmail(address: string) {
      await page.getByRole('link', { name: t('welcome.email') }).click()
      await heading('mail.heading')
      await field('mail.address').fill(address)
      await button('button.continue').click()
      await enterCode(address)
    },
  }
}
