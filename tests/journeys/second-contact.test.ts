import { expect, it } from 'vitest'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { until } from '#support/servers/portal.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()

type Visit = Awaited<ReturnType<typeof fixture.openWelcome>>

/** Enters the code that goes to the contact that exists, before the account changes (D70). */
async function proveContact({ page, t }: Visit['applicant'], contact: string) {
  const press = () => page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await press()
  await page.getByLabel(t('password.code')).fill(await fixture.portal().codeFor(contact))
  await press()
}

it('signs in to the same application with an added e-mail address (F5, D70) and the code that one tap sends to the phone (F6)', async () => {
  const { page, context, applicant, faults, requestsEnded } = await fixture.openWelcome('fr')
  const { t } = applicant
  const address = 'deuxieme@example.cm'
  await applicant.signInByPhone('671000077')
  await applicant.startApplication()
  const number = new URL(page.url()).pathname.split('/')[3] ?? ''
  await page.goto('/procedure')
  await page.getByRole('button', { name: t('procedure.addEmail') }).click()
  const code = page.getByLabel(t('password.code'))
  await proveContact(applicant, '237671000077')
  // A busy server answers late, and until then another press of the button does nothing.
  await page.getByLabel(t('mail.address')).waitFor()
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await page.getByText(t('issue.not-valid')).waitFor()
  await page.getByLabel(t('mail.address')).fill(address)
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await code.waitFor()
  await expect.poll(() => code.evaluate(element => element === document.activeElement)).toBe(true)
  await code.fill(await fixture.portal().codeFor(address))
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await page.getByText(t('notice.contactAdded')).first().waitFor()
  await expect.poll(() => page.getByRole('heading', { name: t('procedure.secondContact') }).count()).toBe(0)
  // A request that runs during log-out is refused, as it should be.
  await requestsEnded()
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
  'ends the other sessions on /account, and undoes an added address with the link of a message and the button on /undo (NAV31, NAV32)',
  async () => {
    const [phone, address] = ['671000079', 'ajout@example.cm']
    const other = await fixture.openSignedIn('fr', phone)
    const { page, context, applicant, faults } = await fixture.openSignedIn('fr', phone, {
      width: 360,
      height: 640,
    })
    const { t } = applicant
    await page.getByRole('link', { name: t('account.link') }).click()
    await page.getByRole('button', { name: t('account.endOthers') }).click()
    await page.getByText(t('notice.sessionEnded')).first().waitFor()
    await other.page.reload()
    await other.applicant.heading('welcome.heading')
    await page.getByRole('button', { name: t('procedure.addEmail') }).click()
    await proveContact(applicant, `237${phone}`)
    await page.getByLabel(t('mail.address')).fill(address)
    await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
    await page.getByLabel(t('password.code')).fill(await fixture.portal().codeFor(address))
    await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
    await page.getByRole('button', { name: t('account.remove.email') }).waitFor()
    await other.applicant.signInByCalls(phone)
    const readLink = async () =>
      fixture
        .portal()
        .messages()
        .filter(({ to }) => to === `237${phone}`)
        .map(({ text }) => /\/undo#\S+/.exec(text)?.[0])
        .find(Boolean)
    await page.goto(await until('the message with the undo code', readLink))
    await applicant.heading('undo.heading')
    expect(new URL(page.url()).hash).toBe('')
    await page.getByRole('button', { name: t('undo.button') }).click()
    await page.getByRole('link', { name: t('undo.signIn') }).waitFor()
    expect(faults.console).toEqual([])
    // After the check of the console, where Chromium reports the refused requests of the ended sessions.
    for (const ended of [{ page, applicant }, other]) {
      await ended.page.goto('/account')
      await ended.applicant.heading('welcome.heading')
    }
    await applicant.signInByCalls(phone)
    await page.goto('/account')
    await page.getByRole('button', { name: t('procedure.addEmail') }).waitFor()
    expect(await page.getByText(t('account.kind.phone'), { exact: true }).count()).toBe(1)
    expect(await page.getByText(t('account.kind.email'), { exact: true }).count()).toBe(0)
    await context.close()
    await other.context.close()
  },
)

it.runIf(isFullRun)(
  'refuses a contact that has its own applications, and asks for another one, in English',
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
    // The steps load when the applicant begins; a failure leaves the button for another press.
    await page.route('**/assets/account-*', route => route.abort())
    await page.getByRole('button', { name: t('procedure.addEmail') }).click()
    await page.getByText(t('notice.generic')).first().waitFor()
    await page.unroute('**/assets/account-*')
    await page.getByRole('button', { name: t('procedure.addEmail') }).click()
    await proveContact(applicant, '237671000078')
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
    // Without the aborted loads only the refusal remains.
    expect(faults.requests.filter(request => !request.includes('/assets/account-'))).toHaveLength(1)
    await context.close()
  },
)
