import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { createApplicant } from './applicant.ts'
import { closeContexts, sharedChromium } from './chromium.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import { collectViolations } from './csp-guard.ts'
import { openWatchedPage } from './watched-page.ts'

/** Like `startBrowserFixture`, with a network proxy between browser and server that makes the faults of the test. */
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

  // The CSP stops calls that a captive portal redirects elsewhere, as it should.
  afterEach(() => {
    const expected = `connect-src ${running?.proxy.origin}/api/`
    expect(collectViolations().filter(each => !each.startsWith(expected))).toEqual([])
  })

  function parts() {
    if (!running) throw new Error('The proxy runs only inside tests')
    return running
  }

  return {
    portal: () => parts().portal,
    proxy: () => parts().proxy,
    async openApplicant(language: Language) {
      const { portal, proxy } = parts()
      const opened = await openWatchedPage(await sharedChromium(), { origin: proxy.origin })
      const applicant = createApplicant(opened.page, portal, language)
      await applicant.chooseLanguage()
      return { ...opened, applicant }
    },
  }
}
