import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { longestRow, type RequestSpan } from '../bench/journey/step-figures.ts'

const fixture = startBrowserFixture()

/** Records the requests of the page that have ended, without the icon, for which the browser asks by itself at any time. */
function recordRequests(page: Page): RequestSpan[] {
  const spans: RequestSpan[] = []
  page.on('requestfinished', request => {
    const { startTime, responseEnd } = request.timing()
    const path = new URL(request.url()).pathname
    if (path === '/favicon.svg') return
    spans.push({
      path,
      startMs: startTime,
      endMs: startTime + responseEnd,
    })
  })
  return spans
}

describe('the round trips after a tap', () => {
  it('are at most two for the code, and no file: the list of applications has loaded during the wait for the SMS (D88)', async () => {
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
    const requests = recordRequests(page)
    await applicant.button('button.continue').click()
    await applicant.heading('procedure.heading')
    expect(requests.filter(({ path }) => path.startsWith('/assets/'))).toEqual([])
    expect(longestRow(requests), JSON.stringify(requests)).toBeLessThanOrEqual(2)
    await context.close()
  })
})
