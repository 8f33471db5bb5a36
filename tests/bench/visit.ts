import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { epochMs } from './journey/epoch.ts'
import type { SlowProxy } from './slow-proxy.ts'

/** What one visit takes. */
export type VisitTimes = {
  /** When the frame began that painted a real key in the first field; the field still showed it 150 ms later. */
  readyMs: number
  /** What had arrived at that time, compressed, with headers and encryption. */
  bytesToReady: number
  /** Uncompressed, as `scriptBytesWhenHydrated`. */
  scriptBytesBeforeReady: number
  /** Every control works; undefined for a page without a module script. */
  hydratedMs: number | undefined
  scriptBytesWhenHydrated: number
}

const slowdown = 4
const phone = { viewport: { width: 412, height: 823 } }

declare global {
  interface Window {
    /** For each input since the last dropped key: when the frame that paints it began, in ms on the page's clock. */
    inputFrames?: number[]
  }
}

export async function newPhone(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext(phone)
  await context.addInitScript(() => {
    window.inputFrames = []
    addEventListener(
      'input',
      () => requestAnimationFrame(() => window.inputFrames?.push(performance.now())),
      true,
    )
  })
  return context
}

export async function slowPage(context: BrowserContext): Promise<{ page: Page; cdp: CDPSession }> {
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await setSlowCpu(cdp, true)
  // CPU time, so that other programs of the machine do not count.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  return { page, cdp }
}

/**
 * A slowed page uses the processor also while it does nothing: pages that are open side by side must not all be slow.
 */
export async function setSlowCpu(cdp: CDPSession, isSlow: boolean): Promise<void> {
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: isSlow ? slowdown : 1 })
}

/** `field`: the selector of the first text field. */
export type Target = { address: string; field: string; proxy: SlowProxy }

export async function visit(page: Page, { address, field, proxy }: Target): Promise<VisitTimes> {
  const before = proxy.arrivals().length
  await page.goto(address, { waitUntil: 'commit', timeout: 60_000 })
  const readyMs = await typeUntilAccepted(page, field)
  const readyAtMs = await page.evaluate(ms => performance.timeOrigin + ms, readyMs)
  const arrivals = proxy.arrivals().slice(before)
  const bytesToReady = arrivals
    .filter(({ atMs }) => epochMs(atMs) <= readyAtMs)
    .reduce((sum, { bytes }) => sum + bytes, 0)
  const scriptBytesBeforeReady = await scriptBytesUntil(page, readyMs)
  const hasScript = await page.evaluate(() => document.querySelector('script[type=module]') !== null)
  const hydratedMs = hasScript ? await hydratedAt(page) : undefined
  return {
    readyMs,
    bytesToReady,
    scriptBytesBeforeReady,
    hydratedMs,
    scriptBytesWhenHydrated: hydratedMs === undefined ? 0 : await scriptBytesUntil(page, hydratedMs),
  }
}

/**
 * Types until a key stays in the field. If React re-renders the field and drops the key, the page is not ready. Returns
 * when the frame that painted this key began, in ms on the clock of the page.
 *
 * @throws when the field is not shown, does not accept a key, or drops 50 keys
 */
async function typeUntilAccepted(page: Page, field: string): Promise<number> {
  const input = page.locator(field)
  // Checks at each animation frame. After a while Playwright's own wait checks only every half second.
  await page.waitForFunction(isShown, field, { timeout: 60_000 })
  for (let tries = 0; tries < 50; tries += 1) {
    const before = await input.inputValue()
    await input.focus()
    await page.keyboard.press('6')
    await page.waitForFunction(() => (window.inputFrames?.length ?? 0) > 0, undefined, { timeout: 5_000 })
    await page.waitForTimeout(150)
    if ((await input.inputValue()).length > before.length)
      return page.evaluate(() => window.inputFrames?.at(-1) ?? 0)
    await page.evaluate(() => (window.inputFrames = []))
  }
  throw new Error('the field accepts no key')
}

/** Runs in the page. */
function isShown(field: string): boolean {
  const element = document.querySelector(field)
  return element !== null && element.getClientRects().length > 0
}

async function hydratedAt(page: Page): Promise<number> {
  await page.waitForFunction(() => performance.getEntriesByName('portal-alive').length > 0, undefined, {
    timeout: 60_000,
  })
  return page.evaluate(() => performance.getEntriesByName('portal-alive')[0]?.startTime ?? 0)
}

/** Returns the uncompressed bytes of the scripts that were loaded by this time on the clock of the page. */
function scriptBytesUntil(page: Page, timeMs: number): Promise<number> {
  return page.evaluate(
    until =>
      performance
        .getEntriesByType('resource')
        .filter(
          (entry): entry is PerformanceResourceTiming =>
            entry instanceof PerformanceResourceTiming && /\.m?js$/.test(new URL(entry.name).pathname),
        )
        .filter(({ responseEnd }) => responseEnd > 0 && responseEnd <= until)
        .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0),
    timeMs,
  )
}

/**
 * Waits until no byte has arrived for 3 s and the service worker controls the page. A page without a worker loads
 * nothing later, so 1 s is enough.
 */
export async function waitUntilIdle(
  page: Page,
  proxy: SlowProxy,
  { hasWorker }: { hasWorker: boolean },
): Promise<void> {
  if (hasWorker)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, {
      timeout: 90_000,
    })
  const halfSeconds = hasWorker ? 6 : 2
  for (let last = -1, quiet = 0; quiet < halfSeconds;) {
    const now = proxy.deliveredBytes()
    quiet = now === last ? quiet + 1 : 0
    last = now
    await page.waitForTimeout(500)
  }
}

/** Returns the CPU time that the page's main thread has used, in ms. */
export async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
}

/** Returns the bytes that the page's scripts use after a garbage collection. */
export async function heapBytes(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
}
