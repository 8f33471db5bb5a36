import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Page } from 'playwright-core'
import type { Language } from '#contract/codes.ts'
import { createApplicant } from './applicant.ts'
import { closeContexts, sharedChromium } from './chromium.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import { collectViolations } from './csp-guard.ts'
import { openWatchedPage } from './watched-page.ts'

/**
 * Like `startBrowserFixture`, with a network proxy between browser and server that makes the faults of the test.
 * `hangMs`: how long the proxy keeps a request that hangs. `environment`: further variables for the server.
 */
export function startFaultyBrowserFixture(
  settings: { hangMs?: number; environment?: Record<string, string> } = {},
) {
  let running: { portal: Portal; proxy: NetworkProxy } | undefined

  beforeAll(async () => {
    const proxy = await startNetworkProxy(settings)
    const portal = await startPortal({ PUBLIC_ORIGIN: proxy.origin, ...settings.environment })
    proxy.forwardTo(Number(new URL(portal.origin).port))
    running = { portal, proxy }
  })
  afterAll(async () => {
    await closeContexts()
    await running?.proxy.close()
    await running?.portal.close()
  })

  // A captive portal redirects API calls to its own address, and the CSP must block these: other violations are errors.
  afterEach(() => {
    const expected = `connect-src ${running?.proxy.origin}/api/`
    expect(collectViolations().filter(each => !each.startsWith(expected))).toEqual([])
  })

  function readRunning() {
    if (!running) throw new Error('The portal and its proxy run only inside tests')
    return running
  }

  return {
    portal: () => readRunning().portal,
    proxy: () => readRunning().proxy,
    /**
     * Opens the portal through the proxy in a new browser context, and chooses the language. `prepare` runs on the empty
     * page, before the portal opens.
     */
    async openApplicant(language: Language, prepare?: (page: Page) => Promise<unknown>) {
      const { portal, proxy } = readRunning()
      const opened = await openWatchedPage(await sharedChromium(), { origin: proxy.origin })
      await prepare?.(opened.page)
      const applicant = createApplicant(opened.page, portal, language)
      await applicant.chooseLanguage()
      return { ...opened, applicant }
    },
  }
}
