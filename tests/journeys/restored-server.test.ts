import { describe, expect, it } from 'vitest'
import { firstPassport } from '#support/data/applicants.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { backUp } from '#support/servers/back-up.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture({ CAPTCHA: 'off' }, { hasEmbeddedDatabase: true })

describe('a server that was restored from a backup', () => {
  it.runIf(isFullRun)(
    'replaces no newer answer of the phone, and lets the applicant choose (D62)',
    async () => {
      const { applicant, page, context } = await fixture.openWelcome('fr')
      const { named, t } = applicant
      await applicant.signInByPhone('671320001')
      await applicant.startApplication()
      const form = page.url()
      await named('travelDestination').fill('Ancienne')
      await page.getByText(t('form.onServer'), { exact: false }).waitFor()
      const backup = await backUp(fixture.portal())
      const saved = page.waitForResponse(answer => (answer.request().postData() ?? '').includes('Nouvelle'))
      await named('travelDestination').fill('Nouvelle')
      expect((await saved).ok()).toBe(true)
      await page.getByText(t('form.onServer'), { exact: false }).waitFor()

      await backup.restore()

      await page.goto('/')
      await applicant.signInByPhone('671320001')
      await page.goto(form)
      await page.getByRole('heading', { name: t('choice.restoredHeading') }).waitFor()
      const options = page.getByRole('group', { name: t('field.travelDestination') })
      expect(await options.getByRole('radio').count()).toBe(2)
      await options.getByLabel('Nouvelle').check()
      await applicant.button('choice.done').click()
      await page.getByText(t('form.onServer'), { exact: false }).waitFor()
      await page.reload()
      await applicant.heading('tab.GeneralData')
      expect(await named('travelDestination').inputValue()).toBe('Nouvelle')
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'lists the answers that only the phone has, and starts a new application with them (D63)',
    async () => {
      const { applicant, page, context } = await fixture.openSignedIn('fr', '677141414')
      const backup = await backUp(fixture.portal())
      await page.goto('/procedure')
      await applicant.startApplication()
      await applicant.fillGeneral(firstPassport)
      await applicant.continueTo('tab.PersonData')
      await applicant.named('surname').fill('Njantchoumké')
      await applicant.named('surname').blur()
      await page.getByText(applicant.t('form.onServer')).waitFor()
      const lostAddress = page.url()
      await backup.restore()

      await applicant.signInByCalls('677141414')
      await page.goto(lostAddress)
      await page.getByRole('heading', { name: applicant.t('unknown.heading') }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/procedure')
      await page.getByText('Njantchoumké').waitFor()
      await applicant.button('unknown.restart').click()
      await applicant.heading('tab.PersonData')
      expect(await applicant.named('surname').inputValue()).toBe('Njantchoumké')
      await page.getByText(applicant.t('form.onServer')).waitFor()
      expect(page.url()).not.toBe(lostAddress)
      await page.goto('/procedure')
      await page.getByRole('link', { name: applicant.t('procedure.open.form') }).waitFor()
      expect(await page.getByRole('heading', { name: applicant.t('unknown.heading') }).count()).toBe(0)
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'lets an applicant whose first sign-in came after the backup open the answers on the phone (D133, D63)',
    async () => {
      const backup = await backUp(fixture.portal())
      const { applicant, page, context } = await fixture.openWelcome('fr')
      const { button, heading, named, t } = applicant
      await applicant.signInByPhone('671320005')
      await applicant.startApplication()
      await applicant.fillGeneral(firstPassport)
      await applicant.continueTo('tab.PersonData')
      await named('surname').fill('Njantchoumké')
      await named('surname').blur()
      await page.getByText(t('form.onServer')).waitFor()
      await backup.restore()

      await page.goto('/')
      await applicant.signInByPhone('671320005')
      await page.getByRole('heading', { name: t('unknown.heading') }).waitFor()
      await button('unknown.restart').click()
      await heading('tab.PersonData')
      expect(await named('surname').inputValue()).toBe('Njantchoumké')
      await page.getByText(t('form.onServer')).waitFor()
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'lets the portal warn of a log-out on a shared device that would delete answers, and keep them for their applicant (D31, D62)',
    async () => {
      const { applicant, page, context } = await fixture.openWelcome('fr')
      const { button, heading, named, t } = applicant
      await page.goto('/?shared=1')
      await signInShared(applicant, '671320003')
      await applicant.startApplication()
      const backup = await backUp(fixture.portal())
      await named('travelDestination').fill('Nouvelle')
      await page.getByText(t('form.onServer'), { exact: false }).waitFor()
      await button('button.cancel').click()
      await heading('procedure.heading')
      await backup.restore()

      await logOut(applicant)
      await page.getByRole('heading', { name: t('leaving.loseHeading') }).waitFor()
      await page.getByRole('button', { name: t('leaving.stay') }).click()
      // The restore has ended the session. Another person uses the device before the applicant comes back.
      await page.reload()
      await heading('welcome.heading')
      await signInShared(applicant, '671320004')
      const reopened = page.waitForEvent('load')
      await logOut(applicant)
      await reopened

      await signInShared(applicant, '671320003')
      await page.getByRole('link', { name: t('procedure.open.form') }).click()
      await heading('tab.GeneralData')
      expect(await named('travelDestination').inputValue()).toBe('Nouvelle')
      await context.close()
    },
  )
})

async function signInShared({ page, named, button, heading, t }: Applicant, phone: string) {
  await page.goto('/mobile')
  await expect.poll(() => page.getByLabel(t('signIn.shared')).isChecked()).toBe(true)
  await named('phoneNumber').fill(phone)
  await button('button.continue').click()
  await heading('password.heading')
  await page.getByLabel(t('password.code')).fill(await fixture.portal().codeFor(`237${phone}`))
  await button('button.continue').click()
  await heading('procedure.heading')
}

async function logOut({ page, t }: Applicant) {
  await page.getByRole('button', { name: t('button.logOut') }).click()
}
