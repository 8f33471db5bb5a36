import { afterAll, beforeAll } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { createApplicant } from './applicant.ts'
import { sharedChromium } from './chromium.ts'
import { type OpenPortal, type Portal, type PortalSettings, startPortal } from '#support/servers/portal.ts'
import { joinSharedPortal } from '#support/servers/shared-portal.ts'
import { type PageSettings, openWatchedPage } from './watched-page.ts'

/**
 * For a file of browser tests: any number of applicants with one browser context each, on the portal that all files share.
 * So only one file may use a given phone number or e-mail address.
 */
export function joinBrowserFixture() {
  return createFixture(joinSharedPortal)
}

/** As `joinBrowserFixture`, but with a portal of its own in this environment, which the file may stop. */
export function startBrowserFixture(environment: Record<string, string>, settings?: PortalSettings) {
  let own: Portal | undefined
  // Vitest runs this hook after the tests of the file or of the `describe` block, also when opening the portal has failed.
  afterAll(() => own?.close())
  return createFixture(async () => (own = await startPortal(environment, settings)))
}

function createFixture<Kind extends OpenPortal>(openPortal: () => Kind | Promise<Kind>) {
  let portal: Kind | undefined

  beforeAll(async () => {
    portal = await openPortal()
  })

  function running(): Kind {
    if (!portal) throw new Error('The portal runs only inside tests')
    return portal
  }

  /** Opens an empty page. */
  async function open(settings: PageSettings = {}) {
    return openWatchedPage(await sharedChromium(), { ...settings, origin: running().origin })
  }

  return {
    portal: running,
    open,
    /** Opens the welcome page in this language. */
    async openWelcome(language: Language, settings: PageSettings = {}) {
      const opened = await open(settings)
      const applicant = createApplicant(opened.page, running(), language)
      await applicant.chooseLanguage()
      return { ...opened, applicant }
    },
    /** Opens the list of applications, signed in by calls: for tests that are not about signing in. */
    async openSignedIn(language: Language, contact: string, settings: PageSettings = {}) {
      const opened = await open(settings)
      const applicant = createApplicant(opened.page, running(), language)
      await applicant.signInByCalls(contact)
      return { ...opened, applicant }
    },
  }
}
