import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Only violations: to report the other results, axe needs half a minute more in each test. */
const wcagOptions: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
  iframes: false,
}

/** Waits up to 2 s for running animations, then returns the violations of WCAG 2.2 AA, or of the rule `only` alone. */
export async function findAxeFaults(page: Page, only?: 'color-contrast'): Promise<string[]> {
  // Otherwise a transition could begin after the wait below, on a busy machine, and axe would measure its colours.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(async () => {
    // Two frames after a change of colours, every element has its new ones.
    const twoFrames = new Promise<void>(resolve => {
      requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
    })
    const endings = document
      .getAnimations()
      // Skips the animation of a spinner, which never ends.
      .filter(each => Number.isFinite(each.effect?.getComputedTiming().endTime))
      .map(each => each.finished.catch(() => undefined))
    // Some animations never resolve `finished`, and a page in the background has no frames.
    await Promise.race([
      Promise.all([twoFrames, ...endings]),
      new Promise(resolve => setTimeout(resolve, 2_000)),
    ])
  })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeScript)
  const { violations } = await page.evaluate(
    runAxe,
    only === undefined ? wcagOptions : { ...wcagOptions, runOnly: only },
  )
  await page.emulateMedia({ reducedMotion: null })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${JSON.stringify(any.map(({ data }) => data))}`),
  )
}

/** Runs in the page. */
function runAxe(options: RunOptions): Promise<AxeResults> {
  const page = globalThis as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } } // defined by `axeScript`
  return page.axe.run(options)
}
