import type { Page } from 'playwright-core'

/**
 * Returns the duration of the CSS animation that draws the tick of the panel; `none` when the tick is not animated.
 * `reduced`: when the device asks for less motion.
 */
export async function readTickAnimation(page: Page): Promise<{ usual: string; reduced: string }> {
  const usual = await readAnimation(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const reduced = await readAnimation(page)
  await page.emulateMedia({ reducedMotion: null })
  return { usual, reduced }
}

/** Finds and reads the tick in one step: a new answer of the server may replace it in between. */
async function readAnimation(page: Page): Promise<string> {
  const duration = await page.waitForFunction(() => {
    const tick = document.querySelector('main svg[class*="_drawn_"]')
    if (!tick) return undefined
    const { animationName, animationDuration } = getComputedStyle(tick)
    return animationName === 'none' ? 'none' : animationDuration
  })
  return (await duration.jsonValue()) ?? ''
}
