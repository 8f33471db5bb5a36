import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { createApplicant } from '#support/browsers/applicant.ts'
import { browserEnvironment } from '#support/browsers/browser-environment.ts'
import { findWindowedChromium, launchWithProfile, noWindowReason } from '#support/browsers/chromium.ts'
import { failOnCspViolations } from '#support/browsers/csp-guard.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { until } from '#support/servers/portal.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
const windowed = findWindowedChromium()
const profile = mkdtempSync(join(tmpdir(), 'installed-app-'))
afterAll(() => rmSync(profile, { recursive: true, force: true }))

describe('the portal as an app', () => {
  it('has a manifest with ordinary and maskable icons (OFF01, OFF11)', async () => {
    const manifest = await (await fetch(`${fixture.portal().origin}/manifest.webmanifest`)).json()
    expect(manifest).toMatchObject({ display: 'standalone', start_url: '/', lang: 'fr' })
    for (const icon of manifest.icons)
      expect((await fetch(fixture.portal().origin + icon.src)).status).toBe(200)
    const purposes = manifest.icons.map(({ purpose, sizes }: { purpose?: string; sizes: string }) => [
      purpose ?? 'any',
      sizes,
    ])
    expect(purposes).toContainEqual(['maskable', '512x512'])
    expect(purposes).toContainEqual(['any', '192x192'])
  })

  it('opens from its icon in its own window, without a connection and without browser buttons (OFF02, OFF11)', async ({
    skip,
  }) => {
    // The headless shell installs no apps.
    if (windowed === undefined) return skip(noWindowReason)
    if (process.platform !== 'linux') return skip('an installation would change the desktop of this system')
    const context = await launchForInstallation()
    const page = context.pages()[0] ?? (await context.newPage())
    await page.goto('/')
    await waitForCachedShell(page)
    const appWindow = await installAndOpenOffline(page)

    const applicant = createApplicant(appWindow, fixture.portal(), 'fr')
    await applicant.heading('welcome.heading')
    expect(new URL(appWindow.url()).pathname).toBe('/')
    expect(await appWindow.evaluate(() => matchMedia('(display-mode: standalone)').matches)).toBe(true)
    await appWindow.getByText(applicant.t('notice.offline')).first().waitFor()
    // The window of an installed app has no Back button of a browser: the page has its own.
    await appWindow.getByRole('link', { name: applicant.t('welcome.phone') }).click()
    await applicant.heading('mobile.heading')
    await applicant.button('button.back').click()
    await applicant.heading('welcome.heading')
    await context.close()
  })

  it('is shown after an offline reload (OFF02, OFF06)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await waitForCachedShell(page)

    await context.setOffline(true)
    await page.reload()
    await applicant.heading('welcome.heading')
    await page.getByText(applicant.t('notice.offline')).first().waitFor()
    await page.goto('/mobile')
    await applicant.heading('mobile.heading')
    await context.close()
  })

  it('refuses a phone sign-in while offline, and says so (SIG05, ERR25)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('en')
    await page.getByRole('link', { name: applicant.t('welcome.phone') }).click()
    await applicant.heading('mobile.heading')
    // The prerendered page is shown before its script has loaded. Offline the script could not load.
    await page.waitForFunction(() => performance.getEntriesByName('portal-alive').length > 0)
    await applicant.named('phoneNumber').fill('671000001')
    await context.setOffline(true)
    await applicant.button('button.continue').click()
    await page
      .getByText('You are currently offline. Please check your connection and try again')
      .first()
      .waitFor()
    expect(new URL(page.url()).pathname).toBe('/mobile')
    expect(await applicant.named('phoneNumber').inputValue()).toContain('671')
    await context.close()
  })
})

describe('a form in progress', () => {
  it('is restored after a reload on its last tab, and its rows in Dexie are encrypted (OFF04, OFF05)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await applicant.signInByPhone('671000002')
    await applicant.startApplication()
    await applicant.fillGeneral(firstPassport)
    await applicant.continueTo('tab.PersonData')
    await applicant.named('surname').fill('Tchoumi Épse Ngo')
    await applicant.named('givenName').fill('Aïcha')
    await applicant.waitForSavedAnswers()

    await page.reload()
    await applicant.heading('tab.PersonData')
    await expect.poll(() => applicant.named('surname').inputValue()).toBe('Tchoumi Épse Ngo')
    expect(await applicant.named('givenName').inputValue()).toBe('Aïcha')
    await page.goto(page.url().replace('PersonData', 'GeneralData'))
    await applicant.heading('tab.GeneralData')
    await expect.poll(() => applicant.named('travelDestination').inputValue()).toBe('France')

    const stored = await readPageStores(page)
    expect(stored.rows).toBeGreaterThan(0)
    expect(stored.text).not.toContain('Tchoumi')
    await context.close()
  })

  it.runIf(isFullRun)(
    'is restored after a visit to the list, instead of the cached copy of the server (OFF05)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('fr')
      await applicant.signInByPhone('671000004')
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Tchad')
      await page.goBack()
      await applicant.heading('procedure.heading')
      await page.goForward()
      await applicant.heading('tab.GeneralData')
      await expect.poll(() => applicant.named('travelDestination').inputValue()).toBe('Tchad')
      await context.close()
    },
  )

  it.runIf(isFullRun)('keeps its answers when the language is switched (NAV21)', async () => {
    const { page, context, applicant: french } = await fixture.openWelcome('fr')
    await french.signInByPhone('671000003')
    await french.startApplication()
    await french.named('travelDestination').fill('Côte d’Ivoire')
    await page.getByRole('button', { name: 'EN', exact: true }).click()
    await createApplicant(page, fixture.portal(), 'en').heading('tab.GeneralData')
    expect(await french.named('travelDestination').inputValue()).toBe('Côte d’Ivoire')
    expect(await page.evaluate(() => localStorage.getItem('lg'))).toBe('en')
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('en')
    await page.reload()
    await createApplicant(page, fixture.portal(), 'en').heading('tab.GeneralData')
    await context.close()
  })
})

async function waitForCachedShell(page: Page) {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await until('the service worker to cache the shell', async () =>
    (await page.evaluate(async () => (await caches.keys()).length > 0)) ? true : undefined,
  )
}

/** The browser writes the icon of an installed app into the home folder: here into the profile. */
async function launchForInstallation(): Promise<BrowserContext> {
  const context = await launchWithProfile(profile, {
    ...(windowed !== undefined && { executablePath: windowed }),
    baseURL: fixture.portal().origin,
    locale: 'fr-CM',
    env: { ...browserEnvironment(), HOME: profile, XDG_DATA_HOME: join(profile, 'data') },
  })
  await failOnCspViolations(context)
  return context
}

/** Installs the portal as the browser's menu does, disconnects, and opens the app as its icon does. */
async function installAndOpenOffline(page: Page): Promise<Page> {
  const context = page.context()
  const devTools = await context.newCDPSession(page)
  const app = { manifestId: `${fixture.portal().origin}/` }
  await devTools.send('PWA.install', app)
  // An app that the browser's menu installs opens in its own window; one that `PWA.install` installs opens in a tab.
  await devTools.send('PWA.changeAppUserSettings', { ...app, displayMode: 'standalone' })
  await context.setOffline(true)
  const opened = context.waitForEvent('page')
  await devTools.send('PWA.launch', app)
  return opened
}
