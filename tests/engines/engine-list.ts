import { createRequire } from 'node:module'
import { join } from 'node:path'
import puppeteer, { type Page, type PuppeteerNode } from 'puppeteer-core'
import { findChromium } from '#support/browsers/chromium.ts'
import { type ChromiumVersion, engineCache, fetchChromium } from './chromium-builds.ts'
import type { EngineBrowser, ProfileBrowser } from './engine-page.ts'
import { findFirefox, trustInFirefox } from './firefox.ts'
import { createPuppeteerBrowser } from './puppeteer-browser.ts'
import { createWebKitBrowser, missingForWebKit } from './webkit-browser.ts'

/** `absent`: the engine is not available, with the reason. */
type Prepared<Browser = EngineBrowser> =
  | { kind: 'ready'; browser: Browser }
  | { kind: 'absent'; reason: string }

export type Engine<Browser = EngineBrowser> = {
  name: string
  /**
   * `mayInstall`: whether it may download and install packages. `certificatePath`: the self-signed certificate to trust, a
   * PEM file.
   */
  prepare: (settings: { mayInstall: boolean; certificatePath: string }) => Prepared<Browser>
}

const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  // Accepts the certificate of this run, also for the script of the service worker.
  '--ignore-certificate-errors',
]

/** The oldest supported version (docs/browsers.md), and three between it and the installed one. */
const oldVersions = [92, 106, 119, 138] as const

export const firefox: Engine<ProfileBrowser> = {
  name: 'Firefox ESR',
  prepare({ mayInstall, certificatePath }) {
    const found = findFirefox({ mayInstall })
    if (found.kind === 'absent') return found
    const browser = createPuppeteerBrowser({
      puppeteer,
      options: {
        browser: 'firefox',
        executablePath: found.path,
        headless: true,
        acceptInsecureCerts: true, // enough for the pages when `trustInFirefox` fails
        extraPrefsFirefox: { 'network.proxy.type': 0, 'browser.download.alwaysOpenPanel': false },
      },
      prepareProfile: folder => trustInFirefox(folder, certificatePath),
    })
    return { kind: 'ready', browser }
  },
}

export const webKit: Engine = {
  name: 'WebKitGTK',
  prepare({ mayInstall }) {
    const reason = missingForWebKit({ mayInstall })
    return reason === undefined
      ? { kind: 'ready', browser: createWebKitBrowser() }
      : { kind: 'absent', reason }
  },
}

/** What a test adds to a Chromium: options of the command line, and work on the page of each start. */
type ChromiumAdditions = { flags?: readonly string[]; preparePage?: (page: Page) => Promise<void> }

export function installedChromium({
  flags = [],
  preparePage,
}: ChromiumAdditions = {}): Engine<ProfileBrowser> {
  return {
    name: 'Chromium, installed',
    prepare: () => ({
      kind: 'ready',
      browser: createPuppeteerBrowser({
        puppeteer,
        options: { executablePath: findChromium(), headless: true, args: [...chromiumFlags, ...flags] },
        ...(preparePage && { preparePage }),
      }),
    }),
  }
}

export function oldChromium(
  version: ChromiumVersion,
  { flags = [], preparePage }: ChromiumAdditions = {},
): Engine<ProfileBrowser> {
  return {
    name: `Chromium ${version}`,
    prepare({ mayInstall }) {
      const found = fetchChromium(version, { mayInstall })
      if (found.kind === 'absent') return found
      const load = createRequire(join(engineCache, 'package.json'))
      // A newer Puppeteer sends commands that this browser does not know.
      const oldPuppeteer = load(`puppeteer-${version}`) as PuppeteerNode
      const browser = createPuppeteerBrowser({
        puppeteer: oldPuppeteer,
        options: {
          executablePath: found.program,
          args: [...chromiumFlags, '--headless', '--no-zygote', '--disable-dev-shm-usage', ...flags],
          env: { LD_LIBRARY_PATH: found.libraries },
        },
        ...(preparePage && { preparePage }),
      })
      return { kind: 'ready', browser }
    },
  }
}

export const engines: Engine[] = [
  ...oldVersions.map(version => oldChromium(version)),
  installedChromium(),
  firefox,
  webKit,
]
