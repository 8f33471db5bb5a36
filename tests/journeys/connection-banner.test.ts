import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { MessageKey } from '#i18n/intl.ts'
import { doNothing } from '#device/do-nothing.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { startFaultyBrowserFixture } from '#support/browsers/faulty-browser-fixture.ts'
import type { FaultKind } from '#support/browsers/network-proxy.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startFaultyBrowserFixture()
const everyApiCall = '**/api/v1/**'

const daily: [FaultKind, MessageKey][] = [
  ['captive-302', 'notice.foreign'],
  ['reset-before', 'notice.unreachable'],
]
const inFullRun: [FaultKind, MessageKey][] = [
  ['foreign-200-json', 'notice.foreign'],
  ['foreign-503-empty', 'notice.unreachable'],
  ['captive-200', 'notice.foreign'],
  ['captive-511', 'notice.foreign'],
  ['foreign-403-html', 'notice.foreign'],
  ['refuse', 'notice.unreachable'],
]
const faults = isFullRun ? [...daily, ...inFullRun] : daily

describe('the banner of the connection (D34)', () => {
  it('names the state that each fault of the network causes, and disappears when the service answers', async () => {
    const { page, context, applicant } = await openPhonePage()
    for (const [kind, key] of faults) {
      const letProbesThrough = await pauseProbes(page)
      fixture.proxy().arm(kind, ({ path }) => path.startsWith('/api/v1/auth'))
      await applicant.button('button.continue').click()
      await banner(applicant, key).waitFor()
      expect(
        await page.getByRole('link', { name: applicant.t('notice.openNetworkPage') }).count(),
        kind,
      ).toBe(key === 'notice.foreign' ? 1 : 0)
      await letProbesThrough()
      await banner(applicant, key).waitFor({ state: 'detached' })
    }
    await context.setOffline(true)
    await banner(applicant, 'notice.offline').waitFor()
    await context.close()
  })

  it('says that the service is busy after its own 503, until it answers a call (D68)', async () => {
    const { page, context, applicant } = await openPhonePage()
    await page.route('**/api/v1/auth*', route =>
      answerAsServer(route, { status: 503, json: { statusCode: 503, message: 'busy' } }),
    )
    await applicant.button('button.continue').click()
    await banner(applicant, 'notice.busy').waitFor()
    // A clock, because the network of the applicant works.
    const icon = page
      .getByRole('status')
      .filter({ hasText: applicant.t('notice.busy') })
      .locator('path')
    expect(await icon.getAttribute('d')).toBe('M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.500 2')
    await page.unroute('**/api/v1/auth*')
    await applicant.button('button.continue').click()
    await applicant.heading('password.heading')
    await banner(applicant, 'notice.busy').waitFor({ state: 'detached' })
    await context.close()
  })

  it.runIf(isFullRun)(
    'opens the page of a captive portal in a new tab, from the network and not from the service worker',
    async () => {
      const { page, context, applicant } = await openPhonePage()
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
      await page.route(everyApiCall, route =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Wi-Fi</title>' }),
      )
      await applicant.button('button.continue').click()
      await banner(applicant, 'notice.foreign').waitFor()
      fixture.proxy().arm('captive-200', ({ path }) => path === '/network')
      const opening = context.waitForEvent('page')
      await page.getByRole('link', { name: applicant.t('notice.openNetworkPage') }).click()
      const opened = await opening
      await opened.getByText('Sign in to the network').waitFor()
      // Once the network is open, the same address leads to the portal.
      await expect.poll(() => opened.goto('/network').then(() => new URL(opened.url()).pathname)).toBe('/')
      await page.unroute(everyApiCall)
      await banner(applicant, 'notice.foreign').waitFor({ state: 'detached' })
      await context.close()
    },
  )
})

/**
 * Holds the probes of the service until the test calls the returned function. A probe, which comes two seconds after a
 * fault, may otherwise end the banner before the test has seen it.
 */
async function pauseProbes(page: Page): Promise<() => Promise<void>> {
  const probe = '**/api/v1/version*'
  let release = doNothing
  const released = new Promise<void>(resolve => (release = resolve))
  await page.route(probe, async route => {
    await released
    await route.continue()
  })
  return async () => {
    release()
    await page.unroute(probe)
  }
}

/** Opens the page of the phone number in French with a number to which no sign-in code was sent yet. */
async function openPhonePage() {
  const opened = await fixture.openApplicant('fr')
  const { page, applicant } = opened
  await page.getByRole('link', { name: applicant.t('welcome.phone') }).click()
  await applicant.heading('mobile.heading')
  await applicant.named('phoneNumber').fill(`6719${String((phoneCount += 1)).padStart(5, '0')}`)
  return opened
}

let phoneCount = 0

function banner({ page, t }: Applicant, key: MessageKey) {
  return page.getByRole('status').locator('strong', { hasText: t(key) })
}
