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
type Prepared<Kind = EngineBrowser> = { kind: 'ready'; browser: Kind } | { kind: 'absent'; reason: string }

export type Engine<Kind = EngineBrowser> = {
  name: string
  /** `fetch`: whether it may download packages. `certificate`: the PEM file of the authority to trust. */
  prepare: (settings: { fetch: boolean; certificate: string }) => Prepared<Kind>
}

const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  // Accepts the certificate of this run, also for the service worker.
  '--ignore-certificate-errors',
]

const oldVersions = [92, 106, 119, 138] as const

export const firefox: Engine<ProfileBrowser> = {
  name: 'Firefox ESR',
  prepare({ fetch, certificate }) {
    const found = findFirefox({ fetch })
    if (found.kind === 'absent') return found
    const browser = createPuppeteerBrowser({
      puppeteer,
      options: {
        browser: 'firefox',
        executablePath: found.path,
        headless: true,
        acceptInsecureCerts: true,
        extraPrefsFirefox: { 'network.proxy.type': 0, 'browser.download.alwaysOpenPanel': false },
      },
      prepareProfile: folder => trustInFirefox(folder, certificate),
    })
    return { kind: 'ready', browser }
  },
}

export const webKit: Engine = {
  name: 'WebKitGTK',
  prepare({ fetch }) {
    const reason = missingForWebKit({ fetch })
    return reason === undefined
      ? { kind: 'ready', browser: createWebKitBrowser() }
      : { kind: 'absent', reason }
  },
}

/** What a test adds to a Chromium: options of the command line, and work on the page of each start. */
type ChromiumAdditions = { flags?: readonly string[]; preparePage?: (page: Page) => Promise<void> }

export function newestChromium({ flags = [], preparePage }: ChromiumAdditions = {}): Engine<ProfileBrowser> {
  return {
    name: 'Chromium, newest',
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
    prepare({ fetch }) {
      const found = fetchChromium(version, { fetch })
      if (found.kind === 'absent') return found
      const load = createRequire(join(engineCache, 'package.json'))
      const agedPuppeteer = load(`puppeteer-${version}`) as PuppeteerNode // the same library in the version of the browser's year
      const browser = createPuppeteerBrowser({
        puppeteer: agedPuppeteer,
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
  newestChromium(),
  firefox,
  webKit,
]
