/**
 * `npm run test:mutants`: changes one place of a rule at a time and runs the tests of this rule. A test must fail; a change
 * that no test notices is a survivor. The run fails when fewer than 85 % are noticed, when a survivor has no reason in
 * survivors.mjs, or when a reason there has no survivor. Results are kept, so the next run repeats only the files that
 * changed, or whose tests did.
 *
 * Usage: node tests/mutants/run.mjs [--survivors | --fresh] [--concurrency 2] [--write] [parts of paths]
 * `--survivors` repeats only what survived before; `--fresh` repeats everything; `--write` writes docs/mutants.md.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { applyMutant, listMutants } from './mutate.mjs'
import { describePage, describeReport, explain, isGood } from './report.mjs'
import { targets } from './targets.mjs'

const root = join(import.meta.dirname, '../..')
const results = join(root, 'node_modules/.cache/mutants')
/** A mutant may loop for ever. */
const timeoutMs = 30_000
/** A target with `database` starts an engine for each mutant. */
const databaseTimeoutMs = 120_000

const { values: options, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    survivors: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '2' },
  },
})
mkdirSync(results, { recursive: true })
const chosen = targets.filter(({ path }) => parts.length === 0 || parts.some(part => path.includes(part)))
const waiting = [...chosen]
const tested = []
await Promise.all(Array.from({ length: Number(options.concurrency) }, runWaiting))

const files = chosen.map(({ path }) => explain(tested.find(file => file.path === path)))
const report = describeReport(files)
process.stdout.write(`\n${report}\n`)
if (options.write) writeFileSync(join(root, 'docs/mutants.md'), describePage(report, new Date()))
process.exit(isGood(files) ? 0 : 1)

async function runWaiting() {
  for (let target = waiting.shift(); target; target = waiting.shift()) tested.push(await testTarget(target))
}

async function testTarget(target) {
  const text = readFileSync(join(root, target.path), 'utf8')
  const listed = listMutants(target.path, text, target)
  const sourceHash = hashOf([text, JSON.stringify(listed)])
  const testHash = hashOf(target.tests.map(test => readFileSync(join(root, test), 'utf8')))
  const before = readResult(target.path)
  const isKnown = !options.fresh && before?.sourceHash === sourceHash
  if (isKnown && before.testHash === testHash && !options.survivors) return before
  const mutants = isKnown && options.survivors ? before.mutants : listed
  const tester = await openTester(target, text)
  for (const mutant of mutants)
    if (!mutant.killer) mutant.killer = await tester.findKiller(applyMutant(text, mutant))
  tester.close()
  const result = { path: target.path, sourceHash, testHash, mutants }
  writeFileSync(resultFile(target.path), JSON.stringify(result, null, 1))
  const alive = mutants.filter(({ killer }) => !killer)
  process.stdout.write(`${target.path}: ${mutants.length} mutants, ${alive.length} survived\n`)
  return result
}

/** Runs the tests of a target in a process that is replaced when a mutant does not stop. */
async function openTester({ path, tests, database, names }, text) {
  const patienceMs = database ? databaseTimeoutMs : timeoutMs
  let child
  let baseline
  async function start() {
    child = fork(join(import.meta.dirname, 'worker.mjs'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    baseline = await ask(child, { kind: 'open', path, tests, text, database, names }, patienceMs)
    if (baseline.killer !== undefined || baseline.passed === 0 || baseline.files !== tests.length)
      throw new Error(`The tests of ${path} fail without a mutant: ${JSON.stringify(baseline)}`)
  }
  await start()
  return {
    /** Returns the test that fails; undefined when the mutant survived. */
    async findKiller(mutated) {
      const answer = await ask(child, { kind: 'run', path, tests, text: mutated }, patienceMs)
      if (answer === 'timeout' || answer === 'exit') {
        child.kill('SIGKILL')
        await start()
        return answer
      }
      if (answer.killer === undefined && answer.passed !== baseline.passed)
        throw new Error(`${path}: ${answer.passed} of ${baseline.passed} tests ran`)
      return answer.killer
    },
    close: () => child.kill('SIGKILL'),
  }
}

function ask(child, message, patienceMs) {
  return new Promise(resolve => {
    const timer = setTimeout(() => finish(resolve, 'timeout'), patienceMs)
    const onMessage = answer => finish(resolve, answer)
    // Such as: no memory left.
    const onExit = () => finish(resolve, 'exit')
    function finish(settle, value) {
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onExit)
      settle(value)
    }
    child.on('message', onMessage)
    child.on('exit', onExit)
    child.send(message)
  })
}

function resultFile(path) {
  return join(results, `${path.replaceAll('/', '__')}.json`)
}

function readResult(path) {
  try {
    return JSON.parse(readFileSync(resultFile(path), 'utf8'))
  } catch {
    return undefined
  }
}

function hashOf(texts) {
  return createHash('sha256').update(texts.join('\0')).digest('hex')
}
