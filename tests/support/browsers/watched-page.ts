import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { onTestFailed, TestRunner } from 'vitest'
import { until } from '#support/servers/portal.ts'
import { failOnCspViolations } from './csp-guard.ts'

/** Defaults: a phone of 360 × 640 pixels, light colour scheme. */
export type PageSettings = {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  /** With `block`, the page has no service worker, which could answer from its cache in place of the server. */
  serviceWorkers?: 'allow' | 'block'
  /** Default: Africa/Douala. */
  timeZone?: string
}

/** Timeout of one step in a page. It finds steps that hang, and must not fail on a busy machine. */
const stepTimeoutMs = 90_000

export type PageFaults = { requests: string[]; console: string[] }

/**
 * Opens a page that records failed requests, error responses, console errors and uncaught errors, and fails the test on
 * CSP violations. `requestsEnded` waits until no request is under way. A test may call it at any time: Playwright's
 * `networkidle` comes only once for each document, at its start.
 */
export async function openWatchedPage(
  browser: Browser,
  options: { origin: string } & PageSettings,
): Promise<{ page: Page; context: BrowserContext; faults: PageFaults; requestsEnded: () => Promise<true> }> {
  const context = await browser.newContext({
    baseURL: options.origin,
    viewport: { width: options.width ?? 360, height: options.height ?? 640 },
    colorScheme: options.colorScheme ?? 'light',
    serviceWorkers: options.serviceWorkers ?? 'allow',
    acceptDownloads: true,
    locale: 'fr-CM',
    timezoneId: options.timeZone ?? 'Africa/Douala',
  })
  await failOnCspViolations(context)
  const faults: PageFaults = { requests: [], console: [] }
  const running = watchContext(context, faults)
  const page = await context.newPage()
  page.on('requestfailed', request => {
    // A request that the page cancelled on leaving is no fault.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      faults.requests.push(`${request.method()} ${request.url()}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) faults.requests.push(`${response.status()} ${response.url()}`)
  })
  page.on('console', message => {
    if (message.type() === 'error') faults.console.push(message.text())
  })
  page.on('pageerror', ({ message, stack = '' }) =>
    faults.console.push([message, ...stack.split('\n').slice(0, 12)].join('\n')),
  )
  const requestsEnded = () =>
    until('the requests of the page to end', async () => running.size === 0 || undefined)
  return { page, context, faults, requestsEnded }
}

/**
 * Sets the timeout of the steps, and lets `close` remove the routes first. When the test fails, prints what each page shows
 * and which requests have no answer. Returns the requests that are under way.
 */
export function watchContext(context: BrowserContext, faults?: PageFaults): ReadonlySet<Request> {
  context.setDefaultTimeout(stepTimeoutMs)
  removeRoutesOnClose(context)
  const running = new Set<Request>()
  context.on('request', request => running.add(request))
  context.on('requestfinished', request => running.delete(request))
  context.on('requestfailed', request => running.delete(request))
  // A browser that `beforeAll` opens has no test yet.
  if (TestRunner.getCurrentTest()) onTestFailed(() => describePages(context, { running, faults }))
  return running
}

/** A request of the page may be in a route handler of the test when the context closes; its handler would then throw. */
function removeRoutesOnClose(context: BrowserContext) {
  const close = context.close.bind(context)
  context.close = async options => {
    for (const owner of [context, ...context.pages()]) await owner.unrouteAll({ behavior: 'ignoreErrors' })
    await close(options)
  }
}

/** Prints what the applicant saw when the test failed: a rare failure may not come again. */
async function describePages(
  context: BrowserContext,
  { running, faults }: { running: Set<Request>; faults: PageFaults | undefined },
) {
  const unanswered = [...running].map(request => `${request.method()} ${request.url()}`)
  for (const page of context.pages()) {
    const text = await page
      .locator('body')
      .innerText({ timeout: 5_000 })
      .catch(() => 'The page does not answer.')
    process.stdout.write(
      `The test failed at ${page.url()}, where the page showed:\n${text}\n${JSON.stringify({ unanswered, ...faults })}\n`,
    )
  }
}
