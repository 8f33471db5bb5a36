import type { Page } from 'playwright-core'
import { until } from '#support/servers/portal.ts'

/** Waits until the service worker controls this page. After a lost file that takes a minute (D35). */
export async function waitForWorker(page: Page): Promise<void> {
  await until('the service worker to serve the page', async () =>
    (await page.evaluate(() => navigator.serviceWorker.controller !== null)) ? true : undefined,
  )
}
