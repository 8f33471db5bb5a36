import type { CDPSession, Page } from 'puppeteer-core'
import type { ProfileBrowser } from '../../engines/engine-page.ts'
import { type Engine, installedChromium, oldChromium } from '../../engines/engine-list.ts'
import { oldVersion } from './report-rule.ts'
import { pageWatch } from './watch-page.ts'

export const cpuSlowdown = 6
export const heapLimitMiB = 64
export const withoutCompilers = ['--jitless', '--no-lazy-feedback-allocation']

/** What the page holds after garbage collection. */
export type Memory = { heapBytes: number; nodes: number; listeners: number }

export type OldPhone = {
  engine: Engine<ProfileBrowser>
  /** @throws when the browser is not started */
  readMemory: () => Promise<Memory>
  /** Returns the addresses that the page has requested since the last call; none without `recordsActivity`. */
  takeRequests: () => string[]
}

type Options = {
  /** Also records timers, frames, writes and requests. This costs memory of the page. */
  recordsActivity?: boolean
  /**
   * True: V8 as it is. False: V8 compiles no machine code, only bytecode, and creates its notes about each function
   * (feedback) at the first call.
   */
  compiles?: boolean
}

export function createOldPhone({ recordsActivity = false, compiles = true }: Options): OldPhone {
  let client: CDPSession | undefined
  let requests: string[] = []
  const v8Flags = [`--max-old-space-size=${heapLimitMiB}`, ...(compiles ? [] : withoutCompilers)]
  const additions = {
    flags: ['--enable-low-end-device-mode', `--js-flags=${v8Flags.join(' ')}`],
    async preparePage(page: Page) {
      // Also in the Puppeteer of 2022, which has no `page.createCDPSession`.
      client = await page.target().createCDPSession()
      await client.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
      await client.send('Performance.enable')
      if (!recordsActivity) return
      await page.evaluateOnNewDocument(pageWatch)
      page.on('request', request => requests.push(request.url()))
    },
  }
  return {
    engine: chooseEngine(additions),
    async readMemory() {
      if (!client) throw new Error('the browser is not started')
      await client.send('HeapProfiler.collectGarbage')
      const { metrics } = await client.send('Performance.getMetrics')
      const read = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
      return {
        heapBytes: read('JSHeapUsedSize'),
        nodes: read('Nodes'),
        listeners: read('JSEventListeners'),
      }
    },
    takeRequests() {
      const taken = requests
      requests = []
      return taken
    },
  }
}

/** The old Chromium where `npm run test:engines` has installed it, else the present one (`findChromium`). */
function chooseEngine(additions: Parameters<typeof installedChromium>[0]): Engine<ProfileBrowser> {
  const old = oldChromium(oldVersion, additions)
  return {
    name: 'old phone',
    prepare(settings) {
      const found = old.prepare(settings)
      return found.kind === 'ready' ? found : installedChromium(additions).prepare(settings)
    },
  }
}
