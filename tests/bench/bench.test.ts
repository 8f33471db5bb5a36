import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { describe, it } from 'vitest'
import { findChromium } from '#support/browsers/chromium.ts'
import { dateInDays } from '#support/data/dates.ts'
import { startPortal } from '#support/servers/portal.ts'
import { type Contender, openContenders, type Setup } from './contenders.ts'
import { type Figures, inOrderOfRound, type Round } from './figures/rounds.ts'
import { makeCertificate } from './https-server.ts'
import { isQuiet, measureOtherWork } from './journey/quiet-machine.ts'
import { runLighthouse } from './lighthouse.ts'
import { describeRun } from './report.ts'
import { seconds } from './table.ts'

const usualRounds = 5
const roundCount = Number(process.env['BENCH_ROUNDS'] ?? usualRounds)
const file = fileURLToPath(new URL('../../docs/bench.md', import.meta.url))

/** Writes a report and asserts nothing: only an idle machine gives reliable times. */
describe('the portal, the reference pages and the other form libraries, on a slow connection', () => {
  it('writes docs/bench.md after a whole run on a quiet machine', { timeout: 1_800_000 }, async () => {
    const before = await measureOtherWork()
    const certificate = makeCertificate()
    const portal = await startPortal()
    const browser = await launchBrowser(certificate.fingerprint)
    try {
      const rounds = await measureContenders({ certificate, portal, browser })
      const lighthouse = await runLighthouse(`${portal.origin}/mobile`)
      const other = { before, after: await measureOtherWork() }
      const run = { rounds, other, date: dateInDays(0), browserVersion: browser.version(), lighthouse }
      const report = describeRun(run, existsSync(file) ? readFileSync(file, 'utf8') : '')
      process.stdout.write(`\n${report}\n`)
      if (isQuiet(other) && roundCount >= usualRounds) writeFileSync(file, report)
      else process.stdout.write('A busy machine, or too few rounds: docs/bench.md keeps the older report.\n')
    } finally {
      await browser.close()
      await portal.close()
    }
  })
})

function launchBrowser(fingerprint: string): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      `--ignore-certificate-errors-spki-list=${fingerprint}`,
    ],
  })
}

/** Closes the servers of all contenders also when a round fails. */
async function measureContenders(setup: Setup): Promise<Round[]> {
  const { contenders, close } = await openContenders(setup)
  try {
    return await runRounds(contenders)
  } finally {
    close()
  }
}

async function runRounds(contenders: readonly Contender[]): Promise<Round[]> {
  const rounds: Round[] = []
  for (let index = 0; index < roundCount; index += 1) {
    const round = new Map<string, Figures>()
    const taking = contenders.filter(({ isInEveryRound }) => isInEveryRound || index % 2 === 0)
    for (const { name, measure } of inOrderOfRound(taking, index)) {
      const startedMs = performance.now()
      const measured = await measure(index)
      for (const [page, figures] of measured) round.set(page, { ...round.get(page), ...figures })
      const took = seconds(performance.now() - startedMs)
      const text = JSON.stringify(Object.fromEntries(measured))
      process.stdout.write(`${index + 1}/${roundCount} ${name}, ${took} s: ${text}\n`)
    }
    rounds.push(round)
  }
  return rounds
}
