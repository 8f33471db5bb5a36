/**
 * `npm run test:mutants`: changes one place of a rule at a time and runs the tests of this rule. A test must fail; a change
 * that no test notices is a survivor. The run fails when fewer than 85 % are noticed, when a survivor has no reason in
 * survivors.mjs, or when a reason there has no survivor. Results are kept, so the next run repeats a file only when the
 * list of its mutants, the file, its tests or a file that these tests import has changed.
 *
 * A mutant that exceeds a limit of time, or ends its process, counts as noticed too. But this may come from a busy machine: it
 * runs again at the end, with nothing beside it and twice the time, and only the second result counts.
 *
 * Usage: node tests/mutants/run.mjs [--survivors | --fresh] [--concurrency 2] [--write] [parts of paths]
 * `--survivors` repeats only what survived before, and keeps the rest as killed, also when the tests have changed; `--fresh`
 * repeats everything; `--write` writes docs/mutants.md.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listImportedFiles } from './imported-files.mjs'
import { applyMutant, listMutants } from './mutate.mjs'
import { describePage, describeReport, explain, isGood } from './report.mjs'
import { targets } from './targets.mjs'

const root = join(import.meta.dirname, '../..')
const results = join(root, 'node_modules/.cache/mutants')
/** A mutant may loop for ever. `mutantMs`: for all tests of a target; `testMs`: for one test or hook. */
const usualLimits = { mutantMs: 30_000, testMs: 5_000 }
/** A target with `database` starts an engine for each mutant. */
const databaseLimits = { mutantMs: 120_000, testMs: 60_000 }
/** Results of another version are not used again. Since version 2 a limit of time kills only when it is exceeded twice. */
const resultVersion = 2

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
for (const one of tested) await testDoubtfulAgain(one)

const files = chosen.map(({ path }) => explain(tested.find(({ result }) => result.path === path).result))
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
  const sourceHash = hashOf([text, JSON.stringify(listed), String(resultVersion)])
  const testHash = hashOfTests(target)
  const before = readResult(target.path)
  const isKnown = !options.fresh && before?.sourceHash === sourceHash
  if (isKnown && before.testHash === testHash && !options.survivors)
    return { target, text, result: before, doubtful: [] }
  const mutants = isKnown && options.survivors ? before.mutants : listed
  const tester = await openTester(target, text)
  const doubtful = []
  for (const mutant of mutants)
    if (!mutant.killer) {
      Object.assign(mutant, await tester.findKiller(applyMutant(text, mutant)))
      if (mutant.isByLimit) doubtful.push(mutant)
    }
  tester.close()
  const result = { path: target.path, sourceHash, testHash, mutants }
  if (doubtful.length === 0) writeResult(result)
  const alive = mutants.filter(({ killer }) => !killer)
  process.stdout.write(
    `${target.path}: ${mutants.length} mutants, ${alive.length} survived, ${doubtful.length} to run again\n`,
  )
  return { target, text, result, doubtful }
}

/** Runs what exceeded a limit again, with twice the time. No other target runs at the same time. */
async function testDoubtfulAgain({ target, text, result, doubtful }) {
  if (doubtful.length === 0) return
  const tester = await openTester(target, text, 2)
  for (const mutant of doubtful) {
    Object.assign(mutant, await tester.findKiller(applyMutant(text, mutant)))
    process.stdout.write(`${target.path}:${mutant.line}, again: ${mutant.killer ?? 'survived'}\n`)
  }
  tester.close()
  writeResult(result)
}

/** Runs the tests of a target in a process that is replaced when a mutant does not stop or ends the process. */
async function openTester({ path, tests, database, names }, text, factor = 1) {
  const limits = database ? databaseLimits : usualLimits
  const limitMs = limits.mutantMs * factor
  const testMs = limits.testMs * factor
  let child
  let baseline
  async function start() {
    child = fork(join(import.meta.dirname, 'worker.mjs'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    baseline = await ask(child, { kind: 'open', path, tests, text, database, names, testMs }, limitMs)
    if (baseline.killer !== undefined || baseline.passed === 0 || baseline.files !== tests.length)
      throw new Error(`The tests of ${path} fail without a mutant: ${JSON.stringify(baseline)}`)
  }
  await start()
  return {
    /** `killer`: the test that fails, or the limit; undefined when the mutant survived. */
    async findKiller(mutated) {
      const answer = await ask(child, { kind: 'run', path, tests, text: mutated }, limitMs)
      if (answer === 'timeout' || answer === 'exit') {
        child.kill('SIGKILL')
        await start()
        const killer = answer === 'exit' ? 'the process ended' : `no end in ${limitMs / 1_000} s`
        return { killer, isByLimit: true }
      }
      if (answer.killer === undefined && answer.passed !== baseline.passed)
        throw new Error(`${path}: ${answer.passed} of ${baseline.passed} tests ran`)
      return { killer: answer.killer, isByLimit: answer.isByLimit }
    },
    close: () => child.kill('SIGKILL'),
  }
}

/** Returns 'timeout' or 'exit' when the process does not answer. */
function ask(child, message, limitMs) {
  return new Promise(resolve => {
    const timer = setTimeout(() => finish(resolve, 'timeout'), limitMs)
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

function writeResult(result) {
  writeFileSync(resultFile(result.path), JSON.stringify(result, null, 1))
}

/**
 * What decides which mutants the tests notice, except the source itself, packages, and what a test reads without an import.
 */
function hashOfTests({ path, tests, database, names }) {
  const imported = listImportedFiles(tests).filter(file => file !== path)
  const texts = imported.map(file => readFileSync(join(root, file), 'utf8'))
  return hashOf([JSON.stringify({ tests, database, names, imported }), ...texts])
}

function hashOf(texts) {
  return createHash('sha256').update(texts.join('\0')).digest('hex')
}
