import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { firstPassport } from '#support/data/applicants.ts'
import { createApplicant } from '#support/browsers/applicant.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import type { PageSettings } from '#support/browsers/watched-page.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { findLayoutFaultsOnPage } from '#support/checks/layout-faults.ts'
import { until } from '#support/servers/portal.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
let phoneCount = 0
const nextPhone = () => String(678_920_000 + (phoneCount += 1))
const officeId = '3'

describe('the header of a kiosk (OFF16, D38)', () => {
  it('erases a number that was only typed, and a sign-in that waits for its code', async () => {
    const { page, applicant, finish, button, openPhonePage, context } = await openKiosk()
    await openPhonePage()
    // There is nothing to erase.
    expect(await button.count()).toBe(0)
    expect(await page.evaluate(findEdgeGap)).toBe(0)
    // A finger can hit the name of the service, which is a link to the welcome page.
    expect((await page.locator('header a').first().boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await applicant.named('phoneNumber').fill('6 77 00 11')
    await finish()
    await page.getByText(applicant.t('notice.erased')).first().waitFor()
    expect(await page.getByText(applicant.t('notice.loggedOut')).count()).toBe(0)
    await openPhonePage()
    await expect.poll(() => applicant.named('phoneNumber').inputValue()).toBe('')

    await applicant.named('phoneNumber').fill(nextPhone())
    await applicant.button('button.continue').click()
    await applicant.heading('password.heading')
    await finish()
    await openPhonePage()
    await expect.poll(() => applicant.named('phoneNumber').inputValue()).toBe('')
    await page.goBack()
    // During goBack the router may still write the address that the browser leaves; then goBack resolves too early.
    await applicant.heading('welcome.heading')
    await seeOffice(page)
    expect(await button.count()).toBe(0)
    expect(await page.locator('body').innerText()).not.toContain('+237')
    await context.close()
  })

  it('opens in French for the next person when the person before chose English (NAV19)', async () => {
    const { page, applicant, button, openPhonePage, context } = await openKiosk()
    await openPhonePage()
    await page.getByRole('button', { name: 'EN', exact: true }).click()
    const english = createApplicant(page, fixture.portal(), 'en')
    await english.heading('mobile.heading')
    await applicant.named('phoneNumber').fill('6')
    const reopened = page.waitForEvent('load')
    await page
      .locator('header')
      .getByRole('button', { name: english.t('kiosk.finish') })
      .click()
    await reopened
    await seeOffice(page)
    await applicant.heading('welcome.heading')
    expect(await button.count()).toBe(0)
    expect(await page.locator('html').getAttribute('lang')).toBe('fr')
    await context.close()
  })

  it.runIf(isFullRun)(
    'ends a session from inside the form, and erases the answers on the device, but not those on the server',
    async () => {
      const { page, applicant, finish, context } = await openKiosk()
      const phone = nextPhone()
      await applicant.signInByPhone(phone)
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Libreville')
      await finish()
      expect((await readPageStores(page)).rows).toBe(0)
      await page.goto('/procedure')
      await applicant.heading('welcome.heading')
      // It is still a kiosk, and the next sign-in of the applicant finds the answer.
      await seeOffice(page)
      await applicant.signInByPhone(phone)
      await page.getByRole('link', { name: applicant.t('procedure.open.form') }).click()
      await expect.poll(() => applicant.named('travelDestination').inputValue()).toBe('Libreville')
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'names the office beside the button on eight pages, each with one primary button at most',
    async () => {
      const { page, applicant, context } = await openKiosk()
      const { heading, button, named } = applicant
      const name = await officeName(page)
      const found: string[] = []
      const check = async () => {
        await page.locator('header').getByText(name).waitFor()
        await page
          .locator('header')
          .getByRole('button', { name: applicant.t('kiosk.finish') })
          .waitFor()
        const primary = await page.evaluate(findPrimaryButtons)
        if (primary.length > 1) found.push(`${page.url()}: ${primary.join(', ')}`)
      }
      const phone = nextPhone()
      await applicant.signInByPhone(phone)
      await check()
      await applicant.startApplication()
      await check()
      await applicant.fillForm({ ...firstPassport, phoneNumber: phone })
      await heading('confirm.heading')
      await check()
      await applicant.confirmData()
      await check()
      await applicant.payByDemonstration()
      await expect.poll(() => named('time').inputValue()).not.toBe('')
      await check()
      await button('button.confirm').click()
      await heading('schedule.heading')
      await check()
      await button('button.finalize').click()
      await heading('final.heading')
      await check()
      expect(await page.evaluate(findPrimaryButtons)).toEqual([applicant.t('button.print')])
      await page.getByRole('link', { name: applicant.t('app.help') }).click()
      await heading('help.heading')
      await check()
      expect(found).toEqual([])
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'does not move the heading of the page on a tablet when the office and the button appear',
    async () => {
      // A service worker would bypass the routes of this test.
      const { page, applicant, context } = await openKiosk({ serviceWorkers: 'block' })
      const heading = page.getByRole('heading', { level: 1 })
      const top = async () => (await heading.boundingBox())?.y
      const finish = page.getByRole('button', { name: applicant.t('kiosk.finish') })
      // The page as it is before the parts of a kiosk have loaded.
      await page.route('**/assets/tools-*.js', route => route.abort())
      await page.goto('/mail')
      await applicant.heading('mail.heading')
      // The heading is absent for a moment, while React renders the prerendered page again for the kiosk.
      const before = await until('the place of the heading', top)
      await page.unroute('**/assets/tools-*.js')
      await page.goto('/mail')
      await seeOffice(page)
      await expect.poll(top).toBe(before)
      await applicant.field('mail.address').fill('a')
      await finish.waitFor()
      expect(await top()).toBe(before)
      await context.close()
    },
  )

  it.runIf(isFullRun)('is less than 360 px high on a screen 320 px wide, with 200 % text', async () => {
    const { page, context, openWithButton } = await openKiosk({ width: 320 })
    await openWithButton()
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    expect((await page.locator('header').boundingBox())?.height).toBeLessThan(360)
    await context.close()
  })

  it.runIf(isFullRun)('has no axe issue at 320 px, and no layout fault, also with 200 % text', async () => {
    const { page, context, openWithButton } = await openKiosk({ width: 320 })
    await openWithButton()
    // findLayoutFaultsOnPage measures with text of 200 % too.
    expect([...(await findAxeFaults(page)), ...(await findLayoutFaultsOnPage(page))]).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    // Right after the change, axe may still see the old colours of the text on the new background.
    await openWithButton()
    expect(await findAxeFaults(page, 'color-contrast')).toEqual([])
    await context.close()
  })
})

it('the header on a device of an applicant has no button "Finish and erase" (OFF16, D38)', async () => {
  const { page, applicant, context } = await fixture.openSignedIn('fr', nextPhone())
  await page.waitForLoadState('networkidle')
  expect(await page.getByRole('button', { name: applicant.t('kiosk.finish') }).count()).toBe(0)
  await context.close()
})

async function openKiosk({ width = 800, serviceWorkers = 'allow' }: PageSettings = {}) {
  const { page, context } = await fixture.open({ width, height: 1_280, serviceWorkers })
  const applicant = createApplicant(page, fixture.portal(), 'fr')
  const button = page.locator('header').getByRole('button', { name: applicant.t('kiosk.finish') })
  await page.goto(`/?kiosk=${officeId}`)
  await applicant.heading('welcome.heading')

  /** Waits for the office first: the prerendered page has the heading too, but cannot show what the device has stored. */
  async function openPhonePage() {
    await page.goto('/mobile')
    await seeOffice(page)
    await applicant.heading('mobile.heading')
  }

  async function openWithButton() {
    await openPhonePage()
    await applicant.named('phoneNumber').fill('6')
    await button.waitFor()
  }

  /** The welcome page opens again, as a new document. */
  async function finish() {
    const reopened = page.waitForEvent('load')
    await button.click()
    await reopened
    await applicant.heading('welcome.heading')
  }

  return { page, context, applicant, finish, button, openPhonePage, openWithButton }
}

async function officeName(page: Page): Promise<string> {
  const answer = await page.request.get(`/api/v1/appointments/offices/${officeId}?lg=fr`)
  return (await answer.json()).data.name
}

/** Waits until the header names the office. */
async function seeOffice(page: Page) {
  await page
    .locator('header')
    .getByText(await officeName(page))
    .waitFor()
}

/** Runs in the page. Pixels between the language switch of the header and the edge of its row. */
function findEdgeGap(): number {
  const row = document.querySelector('header > div')
  const last = row?.querySelector('[role="group"]')
  if (!row || !last) throw new Error('The header has no language switch')
  const edge = row.getBoundingClientRect().right - parseFloat(getComputedStyle(row).paddingRight)
  return Math.round(edge - last.getBoundingClientRect().right)
}

/** Runs in the page. */
function findPrimaryButtons(): string[] {
  return [...document.querySelectorAll<HTMLElement>('[class*="_primary_"]')]
    .filter(each => each.getClientRects().length > 0)
    .map(each => each.innerText)
}
