import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { createApplicant } from './applicant.ts'
import { launchChromium } from './chromium.ts'
import { type Portal, startPortal } from './portal.ts'
import { type Look, openWatchedPage } from './watched-page.ts'

/** One browser for all portals of a file: each person has a context of their own in it. */
let browser: Browser | undefined
afterAll(() => browser?.close())

/** For a file of browser tests: one portal, and any number of people with a phone each. */
export function walkThePortal(environment: Record<string, string> = {}) {
  let portal: Portal | undefined

  beforeAll(async () => {
    portal = await startPortal(environment)
    browser ??= await launchChromium()
  })
  afterAll(() => portal?.close())

  function running(): Portal {
    if (!portal) throw new Error('the portal runs only inside tests')
    return portal
  }

  /** Somebody who has not been anywhere yet. */
  async function open(look: Look = {}) {
    if (!browser) throw new Error('the browser runs only inside tests')
    return openWatchedPage(browser, { origin: running().origin, ...look })
  }

  return {
    portal: running,
    open,
    /** Somebody at the welcome page, in this language. */
    async meet(language: Language, look: Look = {}) {
      const opened = await open(look)
      const applicant = createApplicant(opened.page, running(), language)
      await applicant.chooseLanguage()
      return { ...opened, applicant }
    },
  }
}
