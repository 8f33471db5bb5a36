import type { Browser, BrowserContext } from 'playwright-core'
import { type Figures, inOrderOfRound, middleMean } from './figures/rounds.ts'
import type { HttpsServer } from './https-server.ts'
import { startSlowProxy } from './slow-proxy.ts'
import {
  newPhone,
  setSlowCpu,
  slowPage,
  type Target,
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

/** By name. */
export type MeasuredPages = ReadonlyMap<string, MeasuredPage>

/**
 * One visit under a service worker takes less than half a second, so other work of the machine changes its time much.
 */
const visitCount = 12

/** Visits a page with an empty cache. */
export async function measureFirstVisit(browser: Browser, measured: MeasuredPage): Promise<Figures> {
  const phone = await openPhone(browser, measured)
  try {
    return await visitFirst(phone)
  } finally {
    await phone.close()
  }
}

/**
 * Visits all pages again, each time in a new tab of the browser. Then goes offline, and reloads the pages that have a
 * service worker, each in one tab. The pages take turns after each visit: what slows down the machine for seconds slows
 * down all of them.
 */
export async function measureVisitsAgain(
  browser: Browser,
  pages: MeasuredPages,
): Promise<Map<string, Figures>> {
  const phones = new Map<string, Phone>()
  try {
    for (const [name, page] of pages) {
      const phone = await openPhone(browser, page)
      phones.set(name, phone)
      await visitFirst(phone)
    }
    const warm = await visitInTurn(phones, visitWarm)
    const workers = new Map([...phones].filter(([, { measured }]) => measured.hasWorker))
    const lastPages = await cutConnections(workers)
    const offline = await visitInTurn(workers, async phone => {
      const last = lastPages.get(phone)
      return last ? visitOffline(last, phone.target) : Number.NaN
    })
    return new Map([...warm].map(([name, warmMs]) => [name, { warmMs, offlineMs: offline.get(name) }]))
  } finally {
    for (const phone of phones.values()) await phone.close()
  }
}

type Phone = {
  measured: MeasuredPage
  target: Target
  context: BrowserContext
  close: () => Promise<void>
}

async function openPhone(browser: Browser, measured: MeasuredPage): Promise<Phone> {
  const { server, path, field } = measured
  const proxy = await startSlowProxy(server.port)
  const context = await newPhone(browser)
  return {
    measured,
    target: { address: `https://localhost:${proxy.port}${path}`, field, proxy },
    context,
    async close() {
      await context.close()
      await proxy.close()
    },
  }
}

async function visitFirst({ context, target, measured }: Phone): Promise<Figures> {
  const { page } = await slowPage(context)
  const cold = await visit(page, target)
  await waitUntilIdle(page, target.proxy, measured)
  const bytesAtIdle = target.proxy.deliveredBytes()
  await page.close()
  return { ...figuresOf(cold), bytesAtIdle }
}

/** Returns the mean of the middle half of each page's times, in ms. */
async function visitInTurn(
  phones: ReadonlyMap<string, Phone>,
  visitOnce: (phone: Phone) => Promise<number>,
): Promise<Map<string, number>> {
  const times = new Map<string, number[]>([...phones.keys()].map(name => [name, []]))
  for (let index = 0; index < visitCount; index += 1)
    for (const [name, phone] of inOrderOfRound([...phones], index))
      times.get(name)?.push(await visitOnce(phone))
  return new Map([...times].map(([name, values]) => [name, middleMean(values)]))
}

async function visitWarm({ context, target }: Phone): Promise<number> {
  const { page } = await slowPage(context)
  const { readyMs } = await visit(page, target)
  await page.waitForTimeout(500)
  await page.close()
  return readyMs
}

type LastPage = Awaited<ReturnType<typeof slowPage>>

/** Opens one page on each phone and then cuts the phone's connection. `visitOffline` loads this page again. */
async function cutConnections(phones: ReadonlyMap<string, Phone>): Promise<ReadonlyMap<Phone, LastPage>> {
  const opened = new Map<Phone, LastPage>()
  for (const phone of phones.values()) {
    const last = await slowPage(phone.context)
    await visit(last.page, phone.target)
    await setSlowCpu(last.cdp, false)
    opened.set(phone, last)
    await last.page.waitForTimeout(1_000)
    phone.target.proxy.cut()
  }
  return opened
}

async function visitOffline({ page, cdp }: LastPage, target: Target): Promise<number> {
  await setSlowCpu(cdp, true)
  const { readyMs } = await visit(page, target)
  await setSlowCpu(cdp, false)
  return readyMs
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
