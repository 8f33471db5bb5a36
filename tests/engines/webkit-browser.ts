import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserEnvironment } from '#support/browsers/browser-environment.ts'
import { freePort } from '#support/servers/free-port.ts'
import { until } from '#support/servers/portal.ts'
import { installWithApt } from '#support/install-with-apt.ts'
import type { EngineBrowser } from './engine-page.ts'
import { killGroup } from './kill-group.ts'
import { openWebDriverSession } from './webdriver-page.ts'

const program = fileURLToPath(new URL('webkit-browser.py', import.meta.url))
const packages = ['webkit2gtk-driver', 'gir1.2-webkit2-4.1', 'python3-gi', 'xvfb']

/** Returns what is missing for WebKit, or undefined when it can run. `mayInstall`: apt-get may install the packages. */
export function missingForWebKit({ mayInstall }: { mayInstall: boolean }): string | undefined {
  if (isInstalled()) return undefined
  if (mayInstall && installWithApt(packages) && isInstalled()) return undefined
  return `WebKitGTK is not installed (Debian: apt-get install ${packages.join(' ')})`
}

function isInstalled(): boolean {
  if (!['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb', '/usr/bin/python3'].every(path => existsSync(path)))
    return false
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import gi; gi.require_version("WebKit2", "4.1")'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

/** Drives WebKitGTK by W3C WebDriver, on its own virtual screen. */
export function createWebKitBrowser(): EngineBrowser {
  const profile = mkdtempSync(join(tmpdir(), 'engine-profile-'))
  let running: ChildProcess[] = []

  async function kill() {
    const killed = running.splice(0)
    // Each process leads a process group; the driver's group contains the browser.
    await Promise.all(killed.map(killGroup))
  }

  return {
    async start() {
      const display = `:${await freePort()}`
      const screen = spawn('Xvfb', [display, '-screen', '0', '800x900x24', '-nolisten', 'tcp'], {
        ...detached,
        env: browserEnvironment(),
      })
      running.push(screen)
      const port = await freePort()
      const environment = {
        ...browserEnvironment(),
        DISPLAY: display,
        WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      }
      await until('the screen', async () => existsSync(`/tmp/.X11-unix/X${display.slice(1)}`) || undefined)
      running.push(spawn('WebKitWebDriver', [`--port=${port}`], { ...detached, env: environment }))
      return openWebDriverSession(`http://127.0.0.1:${port}`, {
        acceptInsecureCerts: true,
        'webkitgtk:browserOptions': { binary: program, args: [`--profile=${profile}`] },
      })
    },
    kill,
    async close() {
      await kill()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const detached = { detached: true, stdio: 'ignore' } as const
