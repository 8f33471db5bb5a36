import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { createApplicant } from './applicant.ts'
import { closeContexts, sharedChromium } from './chromium.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import { collectViolations } from './csp-guard.ts'
import { openWatchedPage } from './watched-page.ts'

/** As `walkThePortal`, with a line between the phones and the server that breaks where it is told to. */
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

  // Where a captive portal leads a call to, the page's policy does not let it follow: as it should be.
  afterEach(() => {
    const ours = `connect-src ${running?.proxy.origin}/api/`
    expect(collectViolations().filter(each => !each.startsWith(ours))).toEqual([])
  })

  function parts() {
    if (!running) throw new Error('the line runs only inside tests')
    return running
  }

  return {
    portal: () => parts().portal,
    line: () => parts().proxy,
    async openApplicant(language: Language) {
      const { portal, proxy } = parts()
      const opened = await openWatchedPage(await sharedChromium(), { origin: proxy.origin })
      const applicant = createApplicant(opened.page, portal, language)
      await applicant.chooseLanguage()
      return { ...opened, applicant }
    },
  }
}
