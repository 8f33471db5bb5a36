import type { Page } from 'playwright-core'

/**
 * Moves the clock of the page on by 30 s and stops it there, then moves the mouse to restart the inactivity time. So a slow
 * machine cannot use up the minute of the inactivity warning.
 */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 30_000))
  await page.mouse.move(10, 10)
  await page.mouse.move(20, 20)
}
