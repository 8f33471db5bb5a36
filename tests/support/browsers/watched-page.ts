import type { Browser, BrowserContext, Page } from 'playwright-core'
import { failOnCspViolations } from './csp-guard.ts'

/** A phone of 360 × 640 in daylight, unless said otherwise. */
export type PageSettings = {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  /** Without its worker a page asks the server for every list itself. */
  serviceWorkers?: 'allow' | 'block'
  /** Douala's, unless the phone thinks that it is elsewhere. */
  timeZone?: string
}

export type PageFaults = { requests: string[]; console: string[] }

/** A page that remembers every failed request, error answer and console error of its life, and fails at its policy. */
export async function openWatchedPage(
  browser: Browser,
  options: { origin: string } & PageSettings,
): Promise<{ page: Page; context: BrowserContext; faults: PageFaults }> {
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
  // Time-outs are for what hangs, not for a busy machine.
  context.setDefaultTimeout(90_000)
  const page = await context.newPage()
  page.on('requestfailed', request => {
    // A request that the page itself called off when it was left is no fault of the service.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      faults.requests.push(`${request.method()} ${request.url()}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) faults.requests.push(`${response.status()} ${response.url()}`)
  })
  page.on('console', message => {
    if (message.type() === 'error') faults.console.push(message.text())
  })
  page.on('pageerror', error => faults.console.push(String(error)))
  return { page, context, faults }
}
