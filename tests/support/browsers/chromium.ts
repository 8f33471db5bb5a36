import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { browserEnvironment } from './browser-environment.ts'
import { playwrightFeatures, windowFeatures } from './disabled-features.ts'
import { createFontFolder, type FontFamily, widestFamily } from './font-families.ts'
import { watchContext } from './watched-page.ts'

// The headless shell is the same engine without the browser's own window: it needs a third less CPU.
const headlessShell = 'chromium-headless-shell'
const names = [
  headlessShell,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]
const standardPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * Returns the path of Chromium: CHROMIUM_PATH, else an installed one, else one that this function installs.
 *
 * @throws when no Chromium can be installed.
 */
export function findChromium(): string {
  const found = process.env['CHROMIUM_PATH'] ?? installedChromium()
  if (found !== undefined) return found
  install()
  const installed = installedChromium() ?? ownChromium()
  if (installed !== undefined) return installed
  throw new Error(
    'The browser tests need Chromium and could not install it. Install it (Debian: apt-get install chromium) ' +
      'or set CHROMIUM_PATH to its program.',
  )
}

/** One browser for all test files of a process, with one context for each applicant. It ends with the process. */
export async function sharedChromium(): Promise<Browser> {
  if (shared && !(await shared).isConnected()) shared = undefined
  // After a failed launch the next call tries again.
  shared ??= launchChromium().catch((error: unknown) => {
    shared = undefined
    throw error
  })
  return shared
}

let shared: Promise<Browser> | undefined

/** Closes what a test file has left open in the shared browser. */
export async function closeContexts(): Promise<void> {
  const browser = await shared
  await Promise.all(browser?.contexts().map(context => context.close()) ?? [])
}

/**
 * `systemFont`: the widest family by default, because layouts break with that one first. `options`: more options of the
 * command line.
 */
export async function launchChromium(
  systemFont: FontFamily = widestFamily,
  options: readonly string[] = [],
): Promise<Browser> {
  const fonts = createFontFolder(systemFont)
  const { args, ...others } = optionsWith(fonts)
  const browser = await chromium.launch({ ...others, args: [...args, ...options] })
  browser.on('disconnected', fonts.remove)
  return browser
}

/**
 * Returns the path of a Chromium with a window, which writes the history of visited addresses to the profile. Undefined
 * when none is installed: the headless shell writes no history. Does not check what CHROMIUM_PATH names.
 */
export function findWindowedChromium(): string | undefined {
  const found =
    process.env['CHROMIUM_PATH'] ?? installedChromium(names.filter(name => name !== headlessShell))
  return found ?? ownChromium()
}

/** Why a test that needs a window is skipped when `findWindowedChromium` finds none. */
export const noWindowReason =
  'only the headless shell of Chromium is installed: install Chromium, or set CHROMIUM_PATH'

/** Starts a browser whose profile is in this folder. */
export async function launchWithProfile(
  folder: string,
  settings: Parameters<typeof chromium.launchPersistentContext>[1] = {},
): Promise<BrowserContext> {
  const fonts = createFontFolder(widestFamily)
  const context = await chromium.launchPersistentContext(folder, { ...optionsWith(fonts), ...settings })
  context.on('close', fonts.remove)
  watchContext(context)
  return context
}

function optionsWith({ environment }: ReturnType<typeof createFontFolder>) {
  return {
    executablePath: findChromium(),
    env: { ...browserEnvironment(), ...environment },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${[...playwrightFeatures, ...windowFeatures].join(',')}`,
    ],
  }
}

function installedChromium(programs = names): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(process.platform === 'win32' ? ';' : ':')
  return [...folders.flatMap(folder => programs.map(name => join(folder, name))), ...standardPaths].find(
    isProgram,
  )
}

/** The download of Playwright, if it is installed. */
function ownChromium(): string | undefined {
  const path = chromium.executablePath()
  return isProgram(path) ? path : undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Installs the Debian package if possible, else the download of Playwright. */
function install() {
  if (ownChromium() !== undefined) return
  process.stdout.write('No Chromium found: installing one for the browser tests…\n')
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    run('apt-get', ['update', '-qq'])
    const packages = ['chromium-headless-shell', 'chromium']
    if (packages.some(name => run('apt-get', ['install', '-y', '-qq', name]))) return
  }
  run(process.execPath, [join('node_modules', 'playwright-core', 'cli.js'), 'install', 'chromium'])
}

function run(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    return true
  } catch {
    return false // findChromium throws with instructions when every attempt fails
  }
}
