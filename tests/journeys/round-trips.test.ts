import type { Page, Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'
import type { Pace } from '../bench/journey/answer-screen.ts'
import { epochMs } from '../bench/journey/epoch.ts'
import { observeApplicant, receiveSmsCodes } from '../bench/journey/in-page.ts'
import { figuresOfSteps, longestSequence, type RequestSpan } from '../bench/journey/step-figures.ts'
import { walkJourney } from '../bench/journey/walk-journey.ts'

const fixture = startBrowserFixture({ CAPTCHA: 'off', PAYMENT_SIMULATORS: 'on' })

/** Each call takes at least this long. */
const delayMs = 100

const quickPace: Pace = { readingMs: 0, beforeActMs: 0, keyMs: 0, isPatient: false }

/**
 * Delays each call, also until the page has nothing to do. So of calls that the page sends together, none ends before
 * the last one is sent, on a busy machine too.
 */
async function delayCalls(page: Page) {
  await page.route('**/api/v1/**', async route => {
    await page.waitForTimeout(delayMs)
    // A new document has no work left from the old one.
    await page.evaluate(() => new Promise(resolve => requestIdleCallback(resolve))).catch(() => undefined)
    await route.continue()
  })
}

/**
 * Records each request of the page that ends, from the request to the answer, with the delay that a route of the test
 * adds. Leaves out the icon, for which the browser asks by itself at any time.
 */
function recordRequests(page: Page): RequestSpan[] {
  const spans: RequestSpan[] = []
  const started = new Map<Request, number>()
  page.on('request', request => started.set(request, epochMs()))
  page.on('requestfinished', request => {
    const path = new URL(request.url()).pathname
    const startMs = started.get(request)
    if (startMs !== undefined && path !== '/favicon.svg') spans.push({ path, startMs, endMs: epochMs() })
  })
  return spans
}

describe('the round trips after a tap', () => {
  it('are at most two for the code, and load no file: the files of the list of applications have loaded during the wait for the SMS (D88)', async () => {
    const { page, context, applicant, requestsEnded } = await fixture.openWelcome('fr', {
      serviceWorkers: 'block',
    })
    const { t } = applicant
    await page.getByRole('link', { name: t('welcome.phone') }).click()
    await applicant.named('phoneNumber').fill('671234583')
    await applicant.button('button.continue').click()
    await applicant.heading('password.heading')
    await page.waitForFunction(() => {
      const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
      return ['/assets/form-', '/assets/fr-rest-'].every(file => loaded.some(name => name.includes(file)))
    })
    await requestsEnded()
    await page.locator('[name=otp]').fill(await fixture.portal().codeFor('237671234583'))
    await delayCalls(page)
    const requests = recordRequests(page)
    await applicant.button('button.continue').click()
    await applicant.heading('procedure.heading')
    expect(requests.filter(({ path }) => path.startsWith('/assets/'))).toEqual([])
    expect(longestSequence(requests), JSON.stringify(requests)).toBeLessThanOrEqual(2)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })

  it('are none for another tab of the form: its fields are there while the service does not answer (D30, D33)', async () => {
    const { page, context, applicant } = await fixture.openSignedIn('fr', '671234584', {
      serviceWorkers: 'block',
    })
    await applicant.startApplication()
    await page.clock.install()
    // After this time the list of applications, which the guard reads, is no longer fresh.
    await page.clock.runFor(6_000)
    let isAnswering = false
    await page.route('**/api/v1/**', route => (isAnswering ? route.continue() : undefined))
    await page
      .getByRole('main')
      .getByRole('link', { name: applicant.t('tab.PersonData') })
      .click()
    // Half of the time after which a call ends without an answer.
    await applicant.named('surname').fill('Ngo', { timeout: 15_000 })
    isAnswering = true
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })

  it.runIf(isFullRun)('are at most two at each step from the welcome page on (D88)', async () => {
    const { page, context } = await fixture.open({ serviceWorkers: 'block' })
    await context.addInitScript(observeApplicant)
    await context.addInitScript(receiveSmsCodes)
    const recorded = recordRequests(page)
    await delayCalls(page)
    const walk = await walkJourney({ page, portal: fixture.portal(), phone: '671234562', pace: quickPace })
    const requests = recorded.filter(({ path }) => path.startsWith('/api/v1/'))
    const figures = figuresOfSteps({ steps: walk.steps, requests, arrivals: [], tasks: [] })
    expect(figures.filter(({ requestsInRow }) => requestsInRow > 2)).toEqual([])
    // A recording without the calls of the taps would prove nothing.
    expect(figures.filter(({ requestsInRow }) => requestsInRow === 2).length).toBeGreaterThan(4)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
})
