import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Cookie } from 'playwright-core'
import { findChromium, windowFeatures } from './chromium.ts'
import { until } from '#support/servers/portal.ts'
import { failOnCspViolations } from './csp-guard.ts'

/** One phone's browser, on one profile, that the system may kill at any moment. */
export type KillableBrowser = {
  open: () => Promise<BrowserContext>
  /** SIGKILL, to the browser and all that belongs to it. */
  kill: () => Promise<void>
  close: () => Promise<void>
}

export function createKillableBrowser(): KillableBrowser {
  const profile = mkdtempSync(join(tmpdir(), 'profile-'))
  let running: ChildProcess | undefined
  let context: BrowserContext | undefined
  let cookies: Cookie[] = []

  async function kill() {
    const killed = running
    running = undefined
    if (killed?.pid === undefined) return
    const gone = new Promise(resolve => killed.once('exit', resolve))
    process.kill(-killed.pid, 'SIGKILL')
    await gone
  }

  return {
    async open() {
      rmSync(join(profile, 'DevToolsActivePort'), { force: true })
      // A group of its own: the whole of it can be killed at once.
      running = spawn(
        findChromium(),
        [
          '--headless=new',
          '--no-sandbox',
          '--disable-gpu',
          '--no-first-run',
          '--disable-background-networking',
          `--disable-features=${windowFeatures.join(',')}`,
          '--remote-debugging-port=0',
          `--user-data-dir=${profile}`,
          'about:blank',
        ],
        { detached: true, stdio: 'ignore' },
      )
      const address = await until('the browser to listen', async () => portIn(profile))
      const browser = await chromium.connectOverCDP(`http://127.0.0.1:${address}`)
      context = browser.contexts()[0]
      if (!context) throw new Error('the browser has no profile')
      // Chromium writes cookies down every half minute only, in its own time; what is tested here is the portal.
      await context.addCookies(cookies)
      await failOnCspViolations(context)
      return context
    },
    async kill() {
      cookies = (await context?.cookies()) ?? []
      await kill()
    },
    async close() {
      await kill()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function portIn(profile: string): string | undefined {
  try {
    return readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')[0] || undefined
  } catch {
    return undefined // not written yet
  }
}
