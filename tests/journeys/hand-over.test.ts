import { describe, expect, it } from 'vitest'
import { createApplicant } from '#support/browsers/applicant.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { findLayoutFaultsOnPage } from '#support/checks/layout-faults.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
let phones = 0
const nextPhone = () => String(678_930_000 + (phones += 1))

describe('the hand-over from an applicant’s own phone (OFF17, D38)', () => {
  it('sends the answers, and opens them elsewhere only after the applicant’s own sign-in', async () => {
    const contact = nextPhone()
    const own = await fixture.openWelcome('fr', { width: 320 })
    const { page, applicant } = own
    await applicant.signInByPhone(contact)
    await applicant.startApplication()
    await applicant.named('travelDestination').fill('Libreville')
    await page.getByRole('button', { name: applicant.t('handOver.button') }).click()
    await page.getByRole('img', { name: applicant.t('handOver.code') }).waitFor()
    expect([...(await findAxeFaults(page)), ...(await findLayoutFaultsOnPage(page))]).toEqual([])
    const address = `${new URL(page.url()).pathname}?handover=1`
    // The session on this device continues: only a shared device is offered the log-out.
    expect(await page.getByRole('button', { name: applicant.t('handOver.done') }).count()).toBe(0)
    await page
      .getByRole('button', { name: applicant.t('button.close') })
      .last()
      .click()
    await applicant.heading('tab.GeneralData')

    const stranger = await openAddress(address)
    await stranger.applicant.signInByPhone(nextPhone())
    await stranger.applicant.heading('procedure.heading')
    expect(await stranger.page.getByText('Libreville').count()).toBe(0)
    await stranger.context.close()

    const other = await openAddress(address)
    await enterPhone(other.applicant, contact)
    await other.applicant.heading('tab.GeneralData')
    await expect.poll(() => other.applicant.named('travelDestination').inputValue()).toBe('Libreville')
    await other.context.close()
    await own.context.close()
  })

  it('opens the form on a shared device too, and stores nothing readable of its address there (D31, OFF17)', async () => {
    const contact = nextPhone()
    const own = await fixture.openWelcome('fr')
    await own.applicant.signInByPhone(contact)
    await own.applicant.startApplication()
    const [, , id = '', number = ''] = new URL(own.page.url()).pathname.split('/')

    const { page, context, applicant } = await fixture.openWelcome('fr')
    await page.goto('/?shared=1')
    await applicant.heading('welcome.heading')
    await page.goto(`${new URL(own.page.url()).pathname}?handover=1`)
    await applicant.heading('welcome.heading')
    await page.getByText(applicant.t('notice.signIn')).first().waitFor()
    const { text } = await readPageStores(page)
    expect([id, number].filter(each => each === '' || text.includes(each))).toEqual([])
    await enterPhone(applicant, contact)
    await applicant.heading('tab.GeneralData')
    await context.close()
    await own.context.close()
  })

  it.runIf(isFullRun)(
    'says that the code is missing and offers another try when the file that draws the QR code does not load',
    async () => {
      // A service worker would have the file already.
      const { page, applicant, context } = await fixture.openSignedIn('fr', nextPhone(), {
        serviceWorkers: 'block',
      })
      const file = '**/assets/qr-code-*.js'
      await page.route(file, route => route.abort())
      await page.getByRole('button', { name: applicant.t('handOver.button') }).click()
      await page.getByText(applicant.t('handOver.noCode')).waitFor()
      await page.getByText(applicant.t('handOver.text')).waitFor()
      expect([...(await findAxeFaults(page)), ...(await findLayoutFaultsOnPage(page))]).toEqual([])
      await page.unroute(file)
      await page.getByRole('button', { name: applicant.t('button.retry') }).click()
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2')
      await page.getByRole('img', { name: applicant.t('handOver.code') }).waitFor()
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'says that the code is missing, not that the answers were not sent, when the file of the dialog’s contents does not load',
    async () => {
      // A service worker would have the file already.
      const { page, applicant, context } = await fixture.openSignedIn('fr', nextPhone(), {
        serviceWorkers: 'block',
      })
      await applicant.heading('procedure.heading')
      await page.route('**/assets/hand-over-code-*.js', route => route.abort())
      await page.getByRole('button', { name: applicant.t('handOver.button') }).click()
      await page.getByText(applicant.t('handOver.noCode')).first().waitFor()
      expect(await page.getByText(applicant.t('handOver.failed')).count()).toBe(0)
      await context.close()
    },
  )

  it('starts from the list too', async () => {
    const { page, applicant, context } = await fixture.openSignedIn('fr', nextPhone())
    await applicant.heading('procedure.heading')
    await page.getByRole('button', { name: applicant.t('handOver.button') }).click()
    await page.getByRole('img', { name: applicant.t('handOver.code') }).waitFor()
    await context.close()
  })
})

/** Opens the address of the QR code on another phone, which shows the welcome page. */
async function openAddress(address: string) {
  const { page, context } = await fixture.open()
  const applicant = createApplicant(page, fixture.portal(), 'fr')
  await page.goto(address)
  await applicant.heading('welcome.heading')
  return { page, context, applicant }
}

async function enterPhone(applicant: ReturnType<typeof createApplicant>, contact: string) {
  const { page, t, heading, named, button } = applicant
  await page.getByRole('link', { name: t('welcome.phone') }).click()
  await heading('mobile.heading')
  await named('phoneNumber').fill(contact)
  await button('button.continue').click()
  await heading('password.heading')
  await page
    .getByRole('main')
    .getByLabel(t('password.code'))
    .fill(await fixture.portal().codeFor(`237${contact}`))
  await button('button.continue').click()
}
