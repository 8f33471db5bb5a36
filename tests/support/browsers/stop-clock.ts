import type { Page } from 'playwright-core'

/**
 * From here on the page's time passes only when the test says so, and the applicant has just moved the mouse: a slow
 * machine uses up no part of the minute of the warning.
 */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 30_000))
  await page.mouse.move(10, 10)
  await page.mouse.move(20, 20)
}
