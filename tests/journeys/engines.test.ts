import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'
import { afterAll, describe, expect, it } from 'vitest'
import { openEngineFixture } from '../engines/engine-fixture.ts'
import { firefox, webKit } from '../engines/engine-list.ts'
import { isFullRun } from '#support/test-tier.ts'
import { killGroup } from '../engines/kill-group.ts'
import { readMozLz4 } from '../engines/moz-lz4.ts'
import { expectNoResidue } from '../engines/profile-residue.ts'
import { createReport } from '../engines/report.ts'

// The short form of `npm run test:engines`: only in Firefox and WebKit, where they are installed. It downloads no engine.
const engineFixture = openEngineFixture({ mayInstall: false })
const report = createReport()
afterAll(() => report.print())

describe('Firefox and WebKit (D66)', () => {
  it.for([firefox, webKit])(
    'signs in, keeps a draft after SIGKILL and reloads offline in $name',
    async (engine, { skip }) => {
      const outcome = await engineFixture.runJourney(engine, 'short')
      report.add(outcome)
      if (outcome.whyNotRun !== undefined) {
        process.stdout.write(`${engine.name} is not tested: ${outcome.whyNotRun}\n`)
        skip(outcome.whyNotRun)
      }
      outcome.rethrow()
    },
  )
})

it('killGroup ends a running process, and resolves also when the process has ended before', async () => {
  const browser = spawn(process.execPath, ['-e', ''], { detached: true, stdio: 'ignore' })
  await once(browser, 'exit')
  await killGroup(browser)
  const running = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], {
    detached: true,
    stdio: 'ignore',
  })
  await once(running, 'spawn')
  await killGroup(running)
  expect(running.signalCode).toBe('SIGKILL')
})

describe('the profile of Firefox after a log-out on a shared device (D31, S95)', () => {
  it.runIf(isFullRun)('has no typed answer, contact, application number or id', async ({ skip }) => {
    const whyNotRun = await engineFixture.runOnProfile(firefox, expectNoResidue)
    if (whyNotRun !== undefined) skip(whyNotRun)
  })

  it('can also be searched in the files that Firefox compresses with LZ4', () => {
    // "Zorvi", then four bytes from five before, then "lande".
    const block = [0x50, ...Buffer.from('Zorvi'), 5, 0, 0x50, ...Buffer.from('lande')]
    const file = Buffer.from([...Buffer.from('mozLz40\0'), 14, 0, 0, 0, ...block])
    expect(readMozLz4(file)?.toString()).toBe('ZorviZorvlande')
    expect(readMozLz4(Buffer.from('Zorvilande'))).toBeUndefined()
  })
})

describe('the syntax of a release (D66)', () => {
  const built = fileURLToPath(new URL('../../dist/client/', import.meta.url))
  const [release = []]: string[][] = JSON.parse(readFileSync(`${built}../releases.json`, 'utf8'))
  const scripts = release.filter(name => /\.m?js$/.test(name)).map(name => `assets/${name}`)

  it.each(['sw.js', ...scripts])('has no static block in %s, which Chromium 92 cannot read', file => {
    expect(readdirSync(`${built}assets`).length).toBeGreaterThan(5)
    const script = readFileSync(built + file, 'utf8')
    // To parse every file takes seconds. A static block needs these two tokens, with nothing but blanks and comments between.
    if (!/\bstatic(?:\s|\/\*[^]*?\*\/|\/\/.*)*\{/.test(script)) return
    expect(JSON.stringify(parseAst(script), withoutBigInt)).not.toContain('"StaticBlock"')
  })
})

/** JSON cannot contain a BigInt. */
function withoutBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
