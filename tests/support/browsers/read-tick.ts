import type { Page } from 'playwright-core'

/** Returns how long the tick of the panel is drawn: with motion, and when the device asks for less motion. */
export async function readTick(page: Page): Promise<{ usual: string; reduced: string }> {
  const usual = await readAnimation(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const reduced = await readAnimation(page)
  await page.emulateMedia({ reducedMotion: null })
  return { usual, reduced }
}

function readAnimation(page: Page): Promise<string> {
  return page
    .getByRole('main')
    .locator('svg[class*="_drawn_"]')
    .evaluate(icon => {
      const { animationName, animationDuration } = getComputedStyle(icon)
      return animationName === 'none' ? 'none' : animationDuration
    })
}
