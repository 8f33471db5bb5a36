import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createApplicant } from '#support/browsers/applicant.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { installFakeSpeech, spokenOn } from '#support/browsers/fake-speech.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { findLayoutFaultsOnPage } from '#support/checks/layout-faults.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
let phones = 0
const nextPhone = () => String(678_910_000 + (phones += 1))

describe('the button that reads a page aloud, in a browser (NAV30)', () => {
  it.each(testedLanguages)(
    'speaks %s on the first page, which does not move when the button appears',
    async lang => {
      const { page, context } = await fixture.open()
      // Android writes en_GB instead of en-GB.
      await installFakeSpeech(context, ['fr-FR', 'en_GB'])
      const applicant = createApplicant(page, fixture.portal(), lang)
      await page.addInitScript(watchShifts)
      await page.goto('/')
      await applicant.chooseLanguage()
      const button = page.getByRole('button', { name: applicant.t('listen.start') })
      await button.click()
      expect(await spokenOn(page)).toEqual({
        text: applicant.t('welcome.heading'),
        lang: { fr: 'fr-FR', en: 'en-GB' }[lang],
      })
      expect(await page.evaluate(() => Reflect.get(window, 'shifts'))).toEqual([])
      await page.getByRole('button', { name: applicant.t('listen.stop') }).click()
      expect(await spokenOn(page)).toBeUndefined()
      await context.close()
    },
  )

  it('is absent on a device without voices, which does not load the files of the button', async () => {
    const { page, context } = await fixture.open()
    const files: string[] = []
    page.on('request', request => files.push(request.url()))
    await installFakeSpeech(context, [])
    const applicant = createApplicant(page, fixture.portal(), 'fr')
    await page.goto('/')
    await applicant.chooseLanguage()
    await applicant.heading('welcome.heading')
    await page.waitForLoadState('networkidle')
    expect(await page.getByRole('button', { name: applicant.t('listen.start') }).count()).toBe(0)
    expect(files.filter(url => /\/assets\/(?:tools|fr-tools)-/.test(url))).toEqual([])
    await context.close()
  })

  it.runIf(isFullRun)(
    'has no layout fault at 320 px, also with 200 % text, no axe issue, enough contrast in the dark, and icons in forced colours',
    async () => {
      const { page, context } = await fixture.open({ width: 320 })
      await installFakeSpeech(context, ['fr-FR'])
      const applicant = createApplicant(page, fixture.portal(), 'fr')
      await page.goto('/')
      await applicant.chooseLanguage()
      const faults: string[] = []
      const audit = async () => {
        await page
          .getByRole('button', { name: applicant.t('listen.start') })
          .first() // an open panel has a second one
          .waitFor()
        // findLayoutFaultsOnPage measures with text of 200 % too.
        faults.push(...(await findAxeFaults(page)), ...(await findLayoutFaultsOnPage(page)))
        await page.emulateMedia({ colorScheme: 'dark' })
        faults.push(...(await findAxeFaults(page, 'color-contrast')))
        await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
        faults.push(...(await findInvisibleIcons(page)))
        await page.emulateMedia({ forcedColors: 'none' })
      }
      await audit()
      await applicant.signInByPhone(nextPhone())
      await audit()
      await applicant.startApplication()
      await audit()
      await page.getByRole('button', { name: applicant.t('earlier.button') }).click()
      await audit()
      expect(faults).toEqual([])
      await context.close()
    },
  )
})

/** Returns one fault for each button whose icon has the colour of the page behind it. */
function findInvisibleIcons(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button[title]')].flatMap(button => {
      const isInvisible = [...button.querySelectorAll('svg')].some(
        icon => getComputedStyle(icon).stroke === getComputedStyle(document.body).backgroundColor,
      )
      return isInvisible ? [`invisible icon: ${button.title}`] : []
    }),
  )
}

/** Runs in the page before its scripts: collects what moves without an input of the applicant. */
function watchShifts() {
  const shifts: string[] = []
  Object.assign(window, { shifts })
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      const { hadRecentInput, sources } = entry as PerformanceEntry & {
        hadRecentInput: boolean
        sources: { node?: Node }[]
      }
      if (!hadRecentInput) shifts.push(...sources.map(({ node }) => node?.nodeName ?? ''))
    }
  }).observe({ type: 'layout-shift', buffered: true })
}
