import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import type { Language } from '#contract/codes.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { findAxeFaults } from './axe-faults.ts'
import { type FontFamily, setFont, triedFamilies } from '#support/browsers/font-families.ts'
import { findLayoutFaultsOnPage } from './layout-faults.ts'

/** `inDark`: also measures contrast in the dark colour scheme. `width`: pixels. */
export type AuditSettings = { language: Language; width: number; inDark: boolean }

type ViewAuditOptions = { page: Page; context: BrowserContext; applicant: Applicant; settings: AuditSettings }

/** With this folder each view is not audited, but saved as pictures, light and dark. */
const pictureFolder = process.env['PICTURES']

/** `auditView` audits the view that the page shows, and collects its faults in `found`. */
export function createViewAudit<View extends string>({
  page,
  context,
  applicant,
  settings,
}: ViewAuditOptions) {
  const found: string[] = []
  const auditedViews: View[] = []
  // While `isDown`, the routes of a test must fail their requests: they would answer although the browser is offline.
  const connection = { isDown: false }
  const offline = page.getByRole('status').locator('strong', { hasText: applicant.t('notice.offline') })

  async function auditView(view: View) {
    auditedViews.push(view)
    if (pictureFolder) return takePictures(pictureFolder)
    const faults = await findAxeFaults(page)
    if (settings.inDark) faults.push(...(await contrastInDark()))
    for (const family of triedFamilies) faults.push(...(await layoutFaultsIn(family)))
    found.push(...faults.map(fault => `${view}: ${fault}`))
  }

  async function takePictures(folder: string) {
    const name = [String(auditedViews.length).padStart(2, '0'), ...(auditedViews.at(-1) ?? '').split(', ')]
    await page.evaluate(stopTransitions)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const pictures = join(folder, `${settings.language}-${settings.width}-${colorScheme}`)
      await page.screenshot({ path: join(pictures, `${name.join('-')}.png`), fullPage: true })
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.evaluate(() => void (document.adoptedStyleSheets = []))
  }

  async function layoutFaultsIn(family: FontFamily): Promise<string[]> {
    await setFont(page, family)
    const faults = await findLayoutFaultsOnPage(page)
    await setFont(page, undefined)
    return faults.map(fault => `in ${family}, ${fault}`)
  }

  async function contrastInDark(): Promise<string[]> {
    await page.evaluate(stopTransitions)
    await page.emulateMedia({ colorScheme: 'dark' })
    const faults = await findAxeFaults(page, 'color-contrast')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.evaluate(() => void (document.adoptedStyleSheets = []))
    return faults.map(fault => `in the dark, ${fault}`)
  }

  /** Audits a view offline. `act` runs offline before the audit. */
  async function auditOffline(view: View, act: () => Promise<void> = async () => {}) {
    connection.isDown = true
    await context.setOffline(true)
    await offline.waitFor()
    await act()
    await auditView(view)
    connection.isDown = false
    await context.setOffline(false)
    await offline.waitFor({ state: 'detached' })
  }

  return {
    ...applicant,
    context,
    connection,
    auditView,
    auditOffline,
    found,
    auditedViews,
  }
}

/** Runs in the page. Stops transitions, because an intermediate colour is not a fault. */
function stopTransitions() {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, *::before, *::after { transition: none !important }')
  document.adoptedStyleSheets = [sheet]
}
