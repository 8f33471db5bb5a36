import { describe, expect, it } from 'vitest'
import { createApplicant } from '#support/browsers/applicant.ts'
import { joinBrowserFixture, startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { findLayoutFaultsOnPage } from '#support/checks/layout-faults.ts'
import { deviceUseStorageKey, type Language } from '#contract/codes.ts'
import { testedLanguages } from '#support/test-tier.ts'

const kioskCode = 'bureau-7431'
const withCode = startBrowserFixture({ KIOSK_CODE: kioskCode })
const withoutCode = joinBrowserFixture()

describe('the end of the kiosk mode (OFF18, D38)', () => {
  it.each(testedLanguages)('needs the code of the office, in %s', async language => {
    const { page, applicant, dialog, code, context } = await openDialog(withCode, language)
    expect([...(await findAxeFaults(page)), ...(await findLayoutFaultsOnPage(page))]).toEqual([])
    await dialog.getByRole('button', { name: applicant.t('kiosk.end') }).click()
    await dialog.getByText(applicant.t('kiosk.codeEmpty')).waitFor()
    await code.fill('another-code')
    await code.press('Enter')
    await dialog.getByText(applicant.t('kiosk.codeWrong')).waitFor()
    await context.setOffline(true)
    await code.press('Enter')
    await dialog.getByText(applicant.t('kiosk.offline')).waitFor()
    await context.setOffline(false)
    // The tablet is connected, and the service does not answer.
    await page.route('**/api/v1/**', route => route.abort())
    await code.press('Enter')
    await dialog.getByText(applicant.t('kiosk.failed')).waitFor()
    await page.unroute('**/api/v1/**')

    const reopened = page.waitForEvent('load')
    await code.fill(kioskCode)
    await code.press('Enter')
    await reopened
    await page.goto('/mobile')
    // A kiosk does not show this box.
    await expect.poll(() => page.getByLabel(applicant.t('signIn.shared')).isChecked()).toBe(true)
    expect(await page.getByRole('button', { name: applicant.t('kiosk.finish') }).count()).toBe(0)
    await context.close()
  })

  it('does not come when the visitor keeps the kiosk mode', async () => {
    const { page, applicant, dialog, context } = await openDialog(withCode, 'fr')
    await dialog.getByRole('button', { name: applicant.t('kiosk.keep') }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.goto('/mobile')
    await applicant.named('phoneNumber').fill('6')
    await page.getByRole('button', { name: applicant.t('kiosk.finish') }).waitFor()
    expect(await page.getByLabel(applicant.t('signIn.shared')).count()).toBe(0)
    expect(await dialog.count()).toBe(0)
    await context.close()
  })

  it('is explained where the server has no code', async () => {
    const { page, applicant, dialog, code, context } = await openDialog(withoutCode, 'fr')
    await dialog.getByText(applicant.t('kiosk.noCode')).waitFor()
    expect(await code.count()).toBe(0)
    expect([...(await findAxeFaults(page)), ...(await findLayoutFaultsOnPage(page))]).toEqual([])
    await context.close()
  })
})

describe('the tools of a kiosk (OFF18)', () => {
  it('come after all tries to load them have failed, when the connection is back', async () => {
    const { page, context } = await withCode.open({ width: 360, height: 640 })
    const applicant = createApplicant(page, withCode.portal(), 'fr')
    await page.clock.install()
    let failures = 0
    await context.route('**/assets/*tools*', route => ((failures += 1), route.abort()))
    await page.goto('/?kiosk=3')
    await page.waitForFunction(key => localStorage.getItem(key) !== null, deviceUseStorageKey)
    await page.goto('/mobile')
    await applicant.named('phoneNumber').fill('6')
    failures = 0
    const passTime = () => page.clock.runFor(500)
    await expect.poll(() => passTime().then(() => failures), { timeout: 60_000 }).toBeGreaterThan(4)
    const finish = page.getByRole('button', { name: applicant.t('kiosk.finish') })
    expect(await finish.count()).toBe(0)
    await context.unroute('**/assets/*tools*')
    await expect.poll(() => passTime().then(() => finish.count()), { timeout: 60_000 }).toBe(1)
    await context.close()
  })
})

type Fixture = Pick<typeof withoutCode, 'portal' | 'open'>

/** A visitor of a kiosk opens the address that asks to end the kiosk mode. */
async function openDialog(fixture: Fixture, language: Language) {
  const { page, context } = await fixture.open({ width: 360, height: 640 })
  const applicant = createApplicant(page, fixture.portal(), language)
  await page.goto(`/?kiosk=3&lg=${language}`)
  await page.waitForFunction(key => localStorage.getItem(key) !== null, deviceUseStorageKey)
  await page.goto('/?kiosk=off')
  const dialog = page.getByRole('dialog', { name: applicant.t('kiosk.endHeading') })
  await dialog.waitFor()
  return { page, context, applicant, dialog, code: dialog.locator('[name="kioskCode"]') }
}
