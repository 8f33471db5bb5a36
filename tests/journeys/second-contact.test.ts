import { expect, it } from 'vitest'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture()

it('an added e-mail address signs in to the same application (F5), a code goes to either contact (F6), and the section disappears', async () => {
  const { page, context, applicant, faults } = await fixture.openWelcome('fr')
  const { t } = applicant
  const address = 'deuxieme@example.cm'
  await applicant.signInByPhone('671000077')
  await applicant.startApplication()
  const number = new URL(page.url()).pathname.split('/')[3] ?? ''
  await page.goto('/procedure')
  await page.getByRole('button', { name: t('procedure.addEmail') }).click()
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await page.getByText(t('issue.not-valid')).waitFor()
  await page.getByLabel(t('mail.address')).fill(address)
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  const code = page.getByLabel(t('password.code'))
  await code.waitFor()
  expect(await code.evaluate(element => element === document.activeElement)).toBe(true)
  await code.fill(await fixture.portal().codeFor(address))
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await page.getByText(t('notice.contactAdded')).first().waitFor()
  expect(await page.getByRole('heading', { name: t('procedure.secondContact') }).count()).toBe(0)
  // A request that runs during log-out is refused, as it should be.
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: t('button.logOut') }).click()
  await applicant.heading('welcome.heading')
  // Signs in with the address, and with the code that one tap sends to the number (F6).
  await page.getByRole('link', { name: t('welcome.email') }).click()
  await page.getByLabel(t('mail.address')).fill(address)
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await applicant.heading('password.heading')
  await page.getByRole('button', { name: t('password.bySms') }).click()
  await page.getByText(t('password.sentBySms')).waitFor()
  await code.fill(await fixture.portal().codeFor('237671000077'))
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await page.getByText(number).first().waitFor()
  expect(faults).toEqual({ requests: [], console: [] })
  await context.close()
})

it.runIf(isFullRun)(
  'refuses a contact that has its own applications, in English too, and accepts another one',
  async () => {
    const { page, context, applicant, faults } = await fixture.openWelcome('en')
    const { t } = applicant
    const address = 'owner@example.cm'
    await applicant.signInByEmail(address)
    await applicant.startApplication()
    await page.goto('/procedure')
    await page.getByRole('button', { name: t('button.logOut') }).click()
    await applicant.heading('welcome.heading')
    await applicant.signInByPhone('671000078')
    await page.getByRole('button', { name: t('procedure.addEmail') }).click()
    await page.getByLabel(t('mail.address')).fill(address)
    await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
    const sent = () =>
      fixture
        .portal()
        .messages()
        .filter(message => message.to === address)
    await expect.poll(() => sent().length).toBe(2)
    await page.getByLabel(t('password.code')).fill(await fixture.portal().codeFor(address))
    await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
    await page.getByText(t('notice.contactRefused')).first().waitFor()
    await page.getByLabel(t('mail.address')).waitFor()
    expect(faults.requests).toHaveLength(1)
    await context.close()
  },
)
