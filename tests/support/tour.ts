import type { BrowserContext, Page } from 'playwright-core'
import type { Language } from '#contract/codes.ts'
import type { Applicant } from './applicant.ts'
import { axeFaults } from './axe-faults.ts'
import { type FontFamily, setFont, triedFamilies } from './font-families.ts'
import { layoutFaults } from './layout-faults.ts'

/** `inDark`: contrast is measured in both colour schemes. */
export type Look = { language: Language; width: number; inDark: boolean }

type TourOptions = { page: Page; context: BrowserContext; applicant: Applicant; look: Look }

/** A walk that stops at each view, in each of its states, and writes down what is wrong with it. */
export function createTour<View extends string>({ page, context, applicant, look }: TourOptions) {
  const found: string[] = []
  const seen: View[] = []
  const line = { isDown: false }
  const offline = page.getByRole('status').locator('strong', { hasText: applicant.t('notice.offline') })

  async function see(view: View) {
    seen.push(view)
    const faults = await axeFaults(page)
    if (look.inDark) faults.push(...(await contrastInDark()))
    for (const family of triedFamilies) faults.push(...(await layoutFaultsIn(family)))
    found.push(...faults.map(fault => `${view}: ${fault}`))
  }

  async function layoutFaultsIn(family: FontFamily): Promise<string[]> {
    await setFont(page, family)
    const faults = await layoutFaults(page)
    await setFont(page, undefined)
    return faults.map(fault => `in ${family}, ${fault}`)
  }

  async function contrastInDark(): Promise<string[]> {
    await page.evaluate(stopTransitions)
    await page.emulateMedia({ colorScheme: 'dark' })
    const faults = await axeFaults(page, 'color-contrast')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.evaluate(() => void (document.adoptedStyleSheets = []))
    return faults.map(fault => `in the dark, ${fault}`)
  }

  /** `act`: what is tried without the line, and answered in words. */
  async function seeOffline(view: View, act: () => Promise<void> = async () => {}) {
    line.isDown = true
    await context.setOffline(true)
    await offline.waitFor()
    await act()
    await see(view)
    line.isDown = false
    await context.setOffline(false)
    await offline.waitFor({ state: 'detached' })
  }

  return { ...applicant, context, line, see, seeOffline, found, seen }
}

/** Runs in the page: a colour on its way to another is no fault. */
function stopTransitions() {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, *::before, *::after { transition: none !important }')
  document.adoptedStyleSheets = [sheet]
}
