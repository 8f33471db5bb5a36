import type { Page } from 'playwright-core'
import { until } from '#support/servers/portal.ts'

/** Waits until the service worker serves this page. After a lost file the portal installs it again a minute later (D35). */
export async function waitForWorker(page: Page): Promise<void> {
  await until('the service worker to serve the page', async () =>
    (await page.evaluate(() => navigator.serviceWorker.controller !== null)) ? true : undefined,
  )
}
