/**
 * A process of run.mjs: runs the tests of one target against the mutants that it gets. The parent ends it when a mutant
 * does not stop. Vitest gets the changed text in place of the file, so nothing is written to the sources.
 */
import { join } from 'node:path'
import { loadConfigFromFile } from 'vite'
import { createVitest } from 'vitest/node'

process.env['VITEST'] = 'true'
const root = join(import.meta.dirname, '../..')
let vitest
let mutated = { path: '', text: undefined }

process.on('message', message => void answer(message))
process.on('disconnect', () => process.exit())

async function answer({ kind, path, tests, text, database, names, testMs }) {
  mutated = { path: join(root, path), text }
  if (kind === 'open') vitest = await open(tests, { database, names, testMs })
  process.send(await runTests(tests))
}

/**
 * `database`: the tests are server tests on PGlite, and each run of all of them has a new process. `names`: only tests with
 * such names. `testMs`: the limit of a test or a hook.
 */
async function open(tests, { database = false, names, testMs }) {
  const { config } = await loadConfigFromFile(
    { command: 'serve', mode: 'test' },
    join(root, 'vite.config.ts'),
  )
  return createVitest(
    'test',
    {
      config: false,
      root,
      watch: true,
      include: tests,
      pool: database ? 'forks' : 'threads',
      isolate: false,
      maxWorkers: 1,
      bail: 1,
      testTimeout: testMs,
      hookTimeout: testMs,
      ...(names && { testNamePattern: names }),
      reporters: [{}],
      css: config.test.css,
      setupFiles: tests.some(test => test.startsWith('tests/store/')) ? ['fake-indexeddb/auto'] : [],
    },
    { envDir: false, plugins: [replaceMutated(), ...config.plugins], server: { watch: null } },
  )
}

function replaceMutated() {
  return {
    name: 'mutant',
    enforce: 'pre',
    load: id => (id.split('?')[0] === mutated.path ? mutated.text : undefined),
  }
}

async function runTests(tests) {
  vitest.invalidateFile(mutated.path)
  for (const environment of Object.values(vitest.vite.environments)) {
    const graph = environment.moduleGraph
    for (const module of graph.getModulesByFile(mutated.path) ?? []) graph.invalidateModule(module)
  }
  const specifications = await vitest.globTestSpecifications()
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true)
  vitest.state.errorsSet.clear()
  const cases = testModules.flatMap(module => [...module.children.allTests()])
  const failed = cases.find(test => test.result().state === 'failed')
  const broken = testModules.find(module => !module.ok())
  const errors = failed?.result().errors ?? broken?.errors() ?? []
  return {
    passed: cases.filter(test => test.result().state === 'passed').length,
    files: testModules.length === tests.length ? testModules.length : 0,
    killer: failed?.fullName ?? broken?.relativeModuleId ?? unhandledErrors[0]?.message,
    isByLimit: errors.length > 0 && errors.every(isOfTime),
  }
}

/** Whether a test or a hook took too long, or what it waited for did not come. */
function isOfTime({ message }) {
  return /timed out|did not succeed in time/i.test(message)
}
