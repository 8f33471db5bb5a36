import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, LaunchOptions, Page, PuppeteerNode } from 'puppeteer-core'
import { browserEnvironment } from '#support/browsers/browser-environment.ts'
import type { EnginePage, ProfileBrowser } from './engine-page.ts'
import { killGroup } from './kill-group.ts'

type Settings = {
  /** The Puppeteer release from the year of the browser. This file uses only methods that all these releases have. */
  puppeteer: Pick<PuppeteerNode, 'launch'>
  /** `env` is added to `browserEnvironment()`. */
  options: LaunchOptions
  /** Prepares a new profile, for example the certificates that it trusts. */
  prepareProfile?: (folder: string) => void
  /** Runs after each start, before the page opens an address. */
  preparePage?: (page: Page) => Promise<void>
}

/** Drives Chromium by CDP and Firefox by WebDriver BiDi. */
export function createPuppeteerBrowser({
  puppeteer,
  options,
  prepareProfile,
  preparePage,
}: Settings): ProfileBrowser {
  const profile = mkdtempSync(join(tmpdir(), 'engine-profile-'))
  prepareProfile?.(profile)
  let running: Browser | undefined

  async function kill() {
    const killed = running?.process()
    running = undefined
    // Puppeteer starts the browser as the leader of a process group.
    if (killed) await killGroup(killed)
  }

  return {
    async start() {
      running = await puppeteer.launch({
        ...options,
        env: { ...browserEnvironment(), ...options.env },
        userDataDir: profile,
        handleSIGINT: false,
        timeout: startTimeoutMs,
      })
      const page = (await running.pages())[0] ?? (await running.newPage())
      await page.setViewport(phone)
      page.setDefaultTimeout(loadTimeoutMs)
      await preparePage?.(page)
      return createPage(page, await running.version())
    },
    profile,
    async quit() {
      await running?.close()
      running = undefined
    },
    kill,
    async close() {
      await kill()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const phone = { width: 360, height: 640 }
const loadTimeoutMs = 60_000
/** For a busy machine; Puppeteer's default is 30 s. */
const startTimeoutMs = 180_000

function createPage(page: Page, version: string): EnginePage {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return {
    version,
    async open(url) {
      await page.goto(url, { waitUntil: 'domcontentloaded' })
    },
    async reload() {
      // When the load fails, the browser shows its own error page.
      await page.reload({ waitUntil: 'domcontentloaded' }).catch(() => undefined)
    },
    url: async () => page.url(),
    evaluate: expression => page.evaluate(expression),
    clickAt: ({ x, y }) => page.mouse.click(x, y),
    async replaceText(text) {
      await page.keyboard.down('Control')
      await page.keyboard.press('KeyA')
      await page.keyboard.up('Control')
      if (text === '') await page.keyboard.press('Delete')
      else await page.keyboard.type(text)
    },
    screenshot: async () => Buffer.from(await page.screenshot()),
    errors: () => errors,
  }
}
