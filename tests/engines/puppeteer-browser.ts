import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, LaunchOptions, Page, PuppeteerNode } from 'puppeteer-core'
import type { EngineBrowser, EnginePage } from './engine-page.ts'

type Settings = {
  /** The version of the browser's year; only methods that all versions have are used. */
  puppeteer: Pick<PuppeteerNode, 'launch'>
  options: LaunchOptions
  /** Prepares a new profile, for example its trusted authorities. */
  prepareProfile?: (folder: string) => void
}

/** Drives Chromium by CDP and Firefox by WebDriver BiDi. */
export function createPuppeteerBrowser({ puppeteer, options, prepareProfile }: Settings): EngineBrowser {
  const profile = mkdtempSync(join(tmpdir(), 'engine-profile-'))
  prepareProfile?.(profile)
  let running: Browser | undefined

  async function kill() {
    const killed = running?.process()
    running = undefined
    if (killed?.pid === undefined) return
    const gone = new Promise(resolve => killed.once('exit', resolve))
    // Puppeteer starts the browser as the leader of a process group.
    process.kill(-killed.pid, 'SIGKILL')
    await gone
  }

  return {
    async start() {
      running = await puppeteer.launch({ ...options, userDataDir: profile, handleSIGINT: false })
      const page = (await running.pages())[0] ?? (await running.newPage())
      await page.setViewport(phone)
      page.setDefaultTimeout(timeoutMs)
      return createPage(page, await running.version())
    },
    kill,
    async close() {
      await kill()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const phone = { width: 360, height: 640 }
const timeoutMs = 60_000

function createPage(page: Page, version: string): EnginePage {
  const faults: string[] = []
  page.on('pageerror', error => faults.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text())
  })
  return {
    version,
    async open(address) {
      await page.goto(address, { waitUntil: 'domcontentloaded' })
    },
    async reload() {
      await page.reload({ waitUntil: 'domcontentloaded' }).catch(() => undefined)
    },
    address: async () => page.url(),
    run: expression => page.evaluate(expression),
    clickAt: ({ x, y }) => page.mouse.click(x, y),
    async replaceText(text) {
      await page.keyboard.down('Control')
      await page.keyboard.press('KeyA')
      await page.keyboard.up('Control')
      if (text === '') await page.keyboard.press('Delete')
      else await page.keyboard.type(text)
    },
    picture: async () => Buffer.from(await page.screenshot()),
    faults: () => faults,
  }
}
