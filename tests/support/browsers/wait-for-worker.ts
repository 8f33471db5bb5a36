import type { Page } from 'playwright-core'
import { until } from '#support/servers/portal.ts'

/**
 * Waits until the service worker controls this page. This takes a minute when a file of the worker was lost (D35). A
 * new worker does not control a page that Chromium opens while the worker claims its pages: this function reloads such
 * a page.
 */
export async function waitForWorker(page: Page): Promise<void> {
  await until('the service worker to serve the page', async () => {
    const state = await page.evaluate(async () => {
      if (navigator.serviceWorker.controller !== null) return 'controls'
      const registration = await navigator.serviceWorker.getRegistration()
      return registration?.active?.state === 'activated' ? 'leaves out' : 'starts'
    })
    if (state === 'leaves out') await page.reload()
    return state === 'controls' ? true : undefined
  })
}
