import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Cookie } from 'playwright-core'
import { browserEnvironment } from './browser-environment.ts'
import { findChromium } from './chromium.ts'
import { windowFeatures } from './disabled-features.ts'
import { until } from '#support/servers/portal.ts'
import { watchContext } from './watched-page.ts'
import { failOnCspViolations } from './csp-guard.ts'

/** A browser with one profile that a test can kill at any moment, as the system of a phone does. */
export type KillableBrowser = {
  open: () => Promise<BrowserContext>
  /**
   * Sends SIGKILL to the browser and all its processes. `losesLocalStorage`: deletes all of localStorage from the disk,
   * as if the browser, which writes it some seconds late, had not written it yet. `cutsLastWrite`: appends the head of
   * a record to the log of each IndexedDB, as if the kill came between the two parts of a write.
   */
  kill: (manner?: { losesLocalStorage?: boolean; cutsLastWrite?: boolean }) => Promise<void>
  /** The paths of the logs in which Chromium saves IndexedDB at present. */
  databaseLogs: () => string[]
  close: () => Promise<void>
}

/** `restoresCookies`: `open` restores all cookies from before the kill, because Chromium writes them up to 30 s late. */
export function createKillableBrowser({ restoresCookies } = { restoresCookies: true }): KillableBrowser {
  const profile = mkdtempSync(join(tmpdir(), 'profile-'))
  let running: ChildProcess | undefined
  let context: BrowserContext | undefined
  let cookies: Cookie[] = []

  async function kill() {
    const killed = running
    running = undefined
    if (killed?.pid === undefined) return
    const exited = new Promise(resolve => killed.once('exit', resolve))
    process.kill(-killed.pid, 'SIGKILL')
    await exited
  }

  return {
    async open() {
      rmSync(join(profile, 'DevToolsActivePort'), { force: true })
      // Its own process group, so that one signal kills all processes.
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
        { detached: true, stdio: 'ignore', env: browserEnvironment() },
      )
      const port = await until('the browser to listen', async () => portIn(profile))
      const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
      context = browser.contexts()[0]
      if (!context) throw new Error('The browser has no profile')
      if (restoresCookies) await context.addCookies(cookies)
      await failOnCspViolations(context)
      watchContext(context)
      return context
    },
    async kill({ losesLocalStorage = false, cutsLastWrite = false } = {}) {
      cookies = (await context?.cookies()) ?? []
      await kill()
      if (losesLocalStorage) rmSync(join(profile, 'Default', 'Local Storage'), { recursive: true })
      if (cutsLastWrite) for (const log of databaseLogs(profile)) appendFileSync(log, headOfRecord)
    },
    databaseLogs: () => databaseLogs(profile),
    async close() {
      await kill()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The head of a record in LevelDB's log: four bytes of checksum, its length (2,000) and its type (a whole record). */
const headOfRecord = Buffer.from([1, 2, 3, 4, 0xd0, 0x07, 1])

/** The newest log of each IndexedDB. */
function databaseLogs(profile: string): string[] {
  const root = join(profile, 'Default', 'IndexedDB')
  return readdirSync(root)
    .filter(name => name.endsWith('.leveldb'))
    .flatMap(name =>
      readdirSync(join(root, name))
        .filter(file => file.endsWith('.log'))
        .toSorted()
        .slice(-1)
        .map(file => join(root, name, file)),
    )
}

function portIn(profile: string): string | undefined {
  try {
    return readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')[0] || undefined
  } catch {
    return undefined // not written yet
  }
}
