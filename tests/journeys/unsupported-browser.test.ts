import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findLanAddresses } from '#server/tls/demo-certificate.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = joinBrowserFixture()
/** An address that Chromium, unlike a loopback address, does not treat as secure; undefined without a network. */
const lanAddress = findLanAddresses().find(address => !address.includes(':'))

/** What the notice advises: a browser that can run the portal, in both languages, and the phone number of the help desk. */
const adviceTexts = ['Chromium, version 92', 'Chromium browser, version 92', '1500'] as const
const noScriptTexts = [
  'besoin de JavaScript',
  'needs JavaScript',
  'Chromium 92 ou plus récent',
  'Chromium 92 or newer',
  '1500',
] as const
const insecureTexts = ['Cette adresse n’est pas sécurisée', 'This address is not secure'] as const
const oldTexts = ['Ce navigateur est trop ancien', 'This browser is too old'] as const

/** Returns the text once all scripts have run and nothing is being fetched: then a portal that starts has started. */
async function visibleText(page: Page): Promise<string> {
  await page.waitForLoadState('networkidle')
  return page.locator('body').innerText()
}

async function portalStarted(page: Page): Promise<boolean> {
  return page.evaluate(() => performance.getEntriesByName('portal-alive').length > 0)
}

// These run in the page, before its scripts.
function lackArrayAt() {
  Reflect.deleteProperty(Array.prototype, 'at')
}
function refuseImportMaps() {
  HTMLScriptElement.supports = () => false
}
function lackAsSafari15() {
  Reflect.deleteProperty(HTMLScriptElement, 'supports')
  Reflect.deleteProperty(Document.prototype, 'adoptedStyleSheets')
}

describe('a browser that cannot run the portal', () => {
  it('shows what to do in both languages when JavaScript is off (D66)', async () => {
    const browser = await launchChromium()
    const page = await browser.newPage({
      javaScriptEnabled: false,
      baseURL: fixture.portal().origin,
      viewport: { width: 360, height: 640 },
    })
    for (const path of ['/mobile', '/procedure']) {
      await page.goto(path)
      const text = await page.locator('body').innerText()
      for (const expected of noScriptTexts) expect(text).toContain(expected)
      for (const unsaid of [...oldTexts, ...insecureTexts]) expect(text).not.toContain(unsaid)
    }
    await browser.close()
  })

  it.each([
    ['/mobile', 'it is too old (D66)', lackArrayAt],
    ['/procedure', 'it is too old (D66)', lackArrayAt],
    ['/mobile', 'it knows no import maps (D131)', refuseImportMaps],
    ['/mobile', 'it cannot be asked for import maps, as Safari 15 (D131)', lackAsSafari15],
  ])('shows the notice, and no portal, at %s when %s', async (path, _reason, change) => {
    const { page, context, faults } = await fixture.open()
    await page.addInitScript(change)
    await page.goto(path)
    await page.getByRole('heading', { name: oldTexts[0] }).waitFor()
    const text = await visibleText(page)
    for (const expected of [...oldTexts, ...adviceTexts]) expect(text).toContain(expected)
    for (const unsaid of insecureTexts) expect(text).not.toContain(unsaid)
    expect(await page.locator('#root').isVisible()).toBe(false)
    expect(await page.getByRole('link', { name: '1500' }).first().getAttribute('href')).toBe('tel:1500')
    expect(await portalStarted(page)).toBe(false)
    expect(await page.evaluate(() => navigator.serviceWorker.getRegistration())).toBeUndefined()
    expect(faults).toEqual({ requests: [], console: [] })
    await context.close()
  })
})

describe('a supported browser', () => {
  it('runs the portal, without a notice, at localhost (D66)', async () => {
    const { page, context } = await fixture.open()
    await page.goto('/mobile')
    await page.waitForFunction(() => performance.getEntriesByName('portal-alive').length > 0)
    expect(await page.locator('html').getAttribute('data-unsupported')).toBeNull()
    expect(await page.locator('#root').isVisible()).toBe(true)
    await context.close()
  })
})

describe.skipIf(lanAddress === undefined)('an http address that is not localhost', () => {
  it.each(['/mobile', '/procedure'])('shows the notice, and no portal, at %s (D65)', async path => {
    const { page, context } = await fixture.open()
    await page.goto(fixture.portal().origin.replace('localhost', String(lanAddress)) + path)
    await page.getByRole('heading', { name: insecureTexts[0] }).waitFor()
    const text = await visibleText(page)
    for (const expected of [...insecureTexts, 'https://', 'npm start -- --tls'])
      expect(text).toContain(expected)
    for (const unsaid of oldTexts) expect(text).not.toContain(unsaid)
    expect(await page.locator('#root').isVisible()).toBe(false)
    expect(await portalStarted(page)).toBe(false)
    await context.close()
  })
})
