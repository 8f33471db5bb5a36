import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Figures, middleMean } from './figures/rounds.ts'
import type { HttpsServer } from './https-server.ts'
import { startSlowProxy } from './slow-proxy.ts'
import {
  heapBytes,
  newPhone,
  slowPage,
  type Target,
  typeKeys,
  visit,
  type VisitTimes,
  waitUntilIdle,
} from './visit.ts'

export type MeasuredPage = {
  path: string
  server: HttpsServer
  hasWorker: boolean
  /** The selector of the first text field. */
  field: string
}

/** One visit under a service worker takes half a second, so other work of the machine changes its time much. */
const visitsUnderWorker = 24

/** Visits a page with an empty cache, types, and visits the page again, also offline when it has a service worker. */
export async function measurePage(browser: Browser, measured: MeasuredPage): Promise<Figures> {
  return onNewPhone(browser, measured, async ({ target, context }) => {
    const first = await slowPage(context)
    const cold = await visit(first.page, target)
    await waitUntilIdle(first.page, target.proxy, measured.hasWorker)
    const bytesAtIdle = target.proxy.received()
    const heap = await heapBytes(first.cdp)
    await first.page.locator(target.field).first().focus()
    const typing = await typeKeys(first.page, first.cdp)
    await first.page.close()
    const again = await visitAgain({ target, context }, measured)
    return { ...figuresOf(cold), bytesAtIdle, heapBytes: heap, ...again, ...typing }
  })
}

/** Each warm visit has a new page; the offline visits reload the last of these pages. */
async function visitAgain({ target, context }: Phone, { hasWorker }: MeasuredPage): Promise<Figures> {
  const visitNewPage = async () => {
    const { page } = await slowPage(context)
    const { readyMs } = await visit(page, target)
    await page.waitForTimeout(500)
    return { page, readyMs }
  }
  let last = await visitNewPage()
  if (!hasWorker) return { warmMs: last.readyMs }
  const times = [last.readyMs]
  while (times.length < visitsUnderWorker) {
    await last.page.close()
    last = await visitNewPage()
    times.push(last.readyMs)
  }
  return { warmMs: middleMean(times), offlineMs: await reloadOffline(last.page, target) }
}

async function reloadOffline(page: Page, target: Target): Promise<number> {
  await page.waitForTimeout(1_000)
  target.proxy.cut()
  const times: number[] = []
  while (times.length < visitsUnderWorker) times.push((await visit(page, target)).readyMs)
  return middleMean(times)
}

/** Visits a page with an empty cache, and measures nothing else. */
export async function measureFirstVisit(browser: Browser, measured: MeasuredPage): Promise<Figures> {
  return onNewPhone(browser, measured, async ({ target, context }) => {
    const { page } = await slowPage(context)
    const cold = await visit(page, target)
    await waitUntilIdle(page, target.proxy, measured.hasWorker)
    return { ...figuresOf(cold), bytesAtIdle: target.proxy.received() }
  })
}

type Phone = { target: Target; context: BrowserContext }

async function onNewPhone(
  browser: Browser,
  { server, path, field }: MeasuredPage,
  measure: (phone: Phone) => Promise<Figures>,
): Promise<Figures> {
  const proxy = await startSlowProxy(server.port)
  const context = await newPhone(browser)
  try {
    const address = `https://localhost:${proxy.port}${path}`
    return await measure({ target: { address, field, proxy }, context })
  } finally {
    await context.close()
    await proxy.close()
  }
}

function figuresOf({ readyMs, hydratedMs, ...bytes }: VisitTimes): Figures {
  return {
    readyMs,
    hydratedMs,
    bytesToReady: bytes.bytesToReady,
    scriptBytesBeforeReady: bytes.scriptBytesBeforeReady,
    scriptBytesWhenHydrated: bytes.scriptBytesWhenHydrated,
  }
}
