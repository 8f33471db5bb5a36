import { afterAll, beforeAll } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { createApplicant } from './applicant.ts'
import { sharedChromium } from './chromium.ts'
import { type OpenPortal, type Portal, startPortal } from '#support/servers/portal.ts'
import { joinSharedPortal } from '#support/servers/shared-portal.ts'
import { type PageSettings, openWatchedPage } from './watched-page.ts'

/**
 * For a file of browser tests: one portal, and any number of people with a phone each. Without an environment the file
 * uses the portal of all files, so its contacts must be its own; with one the file gets a portal that it may stop.
 */
export function startBrowserFixture(): ReturnType<typeof createWalk<OpenPortal>>
export function startBrowserFixture(
  environment: Record<string, string>,
): ReturnType<typeof createWalk<Portal>>
export function startBrowserFixture(environment?: Record<string, string>) {
  if (environment === undefined) return createWalk(joinSharedPortal)
  let own: Portal | undefined
  // Vitest runs this hook after the tests of the file, also where opening the walk has failed.
  afterAll(() => own?.close())
  return createWalk(async () => (own = await startPortal(environment)))
}

function createWalk<Kind extends OpenPortal>(openPortal: () => Kind | Promise<Kind>) {
  let portal: Kind | undefined

  beforeAll(async () => {
    portal = await openPortal()
  })

  function running(): Kind {
    if (!portal) throw new Error('the portal runs only inside tests')
    return portal
  }

  /** Somebody who has not been anywhere yet. */
  async function open(look: PageSettings = {}) {
    return openWatchedPage(await sharedChromium(), { origin: running().origin, ...look })
  }

  return {
    portal: running,
    open,
    /** Somebody at the welcome page, in this language. */
    async meet(language: Language, look: PageSettings = {}) {
      const opened = await open(look)
      const applicant = createApplicant(opened.page, running(), language)
      await applicant.chooseLanguage()
      return { ...opened, applicant }
    },
    /** Somebody at the list of applications, signed in by calls: for tests that are not about signing in. */
    async meetSignedIn(language: Language, contact: string, look: PageSettings = {}) {
      const opened = await open(look)
      const applicant = createApplicant(opened.page, running(), language)
      await applicant.signInByCalls(contact)
      return { ...opened, applicant }
    },
  }
}
