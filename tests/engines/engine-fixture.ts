import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { freePort } from '#support/servers/free-port.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import type { Engine } from './engine-list.ts'
import type { ProfileBrowser } from './engine-page.ts'
import { createJourney, type Journey } from './journey.ts'
import { openTlsProxy, type TlsProxy } from './tls-proxy.ts'

type StepOutcome = {
  name: string
  result: 'green' | 'red' | 'not run'
  seconds: number
  reason?: string
}

export type Outcome = {
  engine: string
  version: string
  steps: StepOutcome[]
  /** Why no step ran. */
  whyNotRun?: string
  /** Throws the error of the failed step, if there is one. */
  rethrow: () => void
}

export type EngineParts = { browser: ProfileBrowser; portal: Portal; proxy: TlsProxy; phone: string }

const pictures = fileURLToPath(new URL('../../screenshots/engines', import.meta.url))

/** One portal behind TLS, and on demand one on plain HTTP, for all engines of a test file, which run one by one. */
export function openEngineFixture({ mayInstall }: { mayInstall: boolean }) {
  let running: { portal: Portal; proxy: TlsProxy } | undefined
  let plain: Promise<Portal> | undefined
  let journeyCount = 0

  beforeAll(async () => {
    const proxy = await openTlsProxy(await freePort())
    const portal = await startPortal({
      PUBLIC_ORIGIN: proxy.origin,
      OTP_TTL_SECONDS: '300',
      TRUSTED_PROXIES: 'loopback',
    })
    proxy.forwardTo(Number(new URL(portal.origin).port))
    running = { portal, proxy }
  })
  afterAll(async () => {
    await running?.proxy.close()
    await running?.portal.close()
    await (await plain)?.close()
  })

  function newPhone(): string {
    journeyCount += 1
    return `6713${String(process.pid % 1000).padStart(3, '0')}${String(journeyCount).padStart(2, '0')}`
  }

  return {
    /** Runs one test with the profile of an engine. Resolves to why it did not run; undefined when it ran. */
    async runOnProfile(
      engine: Engine<ProfileBrowser>,
      run: (parts: EngineParts) => Promise<void>,
    ): Promise<string | undefined> {
      if (!running) throw new Error('the portal runs only during tests')
      const prepared = engine.prepare({ mayInstall, certificatePath: running.proxy.certificatePath })
      if (prepared.kind === 'absent') return prepared.reason
      const { browser } = prepared
      const { portal, proxy } = running
      try {
        await run({ portal, proxy, browser, phone: newPhone() })
      } finally {
        await browser.close()
        // A failed test may have left the connections cut.
        await proxy.restore()
      }
      return undefined
    },
    /** Runs the journey over TLS. */
    async runJourney(engine: Engine, length: 'whole' | 'short'): Promise<Outcome> {
      if (!running) throw new Error('the portal runs only during tests')
      return runIn(engine, { ...running, origin: running.proxy.origin, phone: newPhone() }, length)
    },
    /** Signs in and fills in one tab at http://localhost, as in the demo (D65). */
    async runAtHttpLocalhost(engine: Engine): Promise<Outcome> {
      if (!running) throw new Error('the portal runs only during tests')
      plain ??= startPortal({ OTP_TTL_SECONDS: '300' })
      const portal = await plain
      return runIn(
        engine,
        { portal, proxy: running.proxy, origin: portal.origin, phone: newPhone() },
        'shortest',
      )
    },
  }

  async function runIn(
    engine: Engine,
    parts: Omit<Parameters<typeof createJourney>[0], 'browser'>,
    length: 'whole' | 'short' | 'shortest',
  ): Promise<Outcome> {
    const prepared = engine.prepare({ mayInstall, certificatePath: parts.proxy.certificatePath })
    if (prepared.kind === 'absent')
      return {
        engine: engine.name,
        version: '',
        steps: [],
        whyNotRun: prepared.reason,
        rethrow: () => undefined,
      }
    const { browser } = prepared
    try {
      const journey = createJourney({ browser, ...parts })
      const name = length === 'shortest' ? `${engine.name} at http` : engine.name
      return await runSteps(name, journey, journey[length])
    } finally {
      await browser.close()
      await parts.proxy.restore()
    }
  }
}

async function runSteps(engine: string, journey: Journey, steps: Journey['whole']): Promise<Outcome> {
  const outcomes: StepOutcome[] = []
  let version = ''
  let failure: unknown
  for (const { name, run } of steps) {
    if (failure !== undefined) {
      outcomes.push({ name, result: 'not run', seconds: 0 })
      continue
    }
    const startMs = performance.now()
    const seconds = () => Math.round((performance.now() - startMs) / 100) / 10
    try {
      await run()
      version ||= journey.visitor().page.version
      outcomes.push({ name, result: 'green', seconds: seconds() })
    } catch (error) {
      failure = error
      const errors = tryErrors(journey)
      outcomes.push({
        name,
        result: 'red',
        seconds: seconds(),
        reason: [messageOf(error), ...errors].join(' | '),
      })
    }
    await takePicture(engine, `${outcomes.length} ${name}`, journey)
  }
  return {
    engine,
    version,
    steps: outcomes,
    rethrow() {
      if (failure !== undefined) throw failure
    },
  }
}

/** Saves a picture of the page after each step. */
async function takePicture(engine: string, step: string, journey: Journey): Promise<void> {
  try {
    const png = await journey.visitor().page.screenshot()
    mkdirSync(pictures, { recursive: true })
    writeFileSync(join(pictures, `${engine} ${step}.png`.replaceAll(/[ ,]+/g, '-')), png)
  } catch {
    // A missing picture does not fail the test.
  }
}

/** Returns the last errors of the page, for the report of a failed step. */
function tryErrors(journey: Journey): string[] {
  try {
    return journey.visitor().page.errors().slice(-5)
  } catch {
    return [] // the browser did not start
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
