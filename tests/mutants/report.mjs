/** The report of a run of mutants: a table of the files, and the survivors with their reasons. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { survivors } from './survivors.mjs'

const root = join(import.meta.dirname, '../..')
const goal = 0.85

/**
 * Adds to each survivor its reason and the text of its line, and lists the reasons that no survivor needs any more.
 * `byLimit`: the mutants that were killed because a limit of time or the end of the process stopped their tests, in
 * both of two runs.
 */
export function explain({ path, mutants }) {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  const reasons = survivors[path] ?? []
  const alive = mutants
    .filter(({ killer }) => !killer)
    .map(mutant => {
      const line = lines[mutant.line - 1].trim()
      const reason = reasons.find(one => isReasonOf(one, mutant, line))
      return { ...mutant, text: line, reason, why: reason?.why }
    })
  const unused = reasons.filter(reason => !alive.some(mutant => mutant.reason === reason))
  const byLimit = mutants.filter(({ killer, isByLimit }) => killer && isByLimit)
  return { path, count: mutants.length, alive, unused, byLimit }
}

function isReasonOf({ line, from, to }, mutant, text) {
  return (
    (line === undefined || text.includes(line)) &&
    (from ?? mutant.from) === mutant.from &&
    (to ?? mutant.to) === mutant.to
  )
}

export function isGood(files) {
  return (
    scoreOf(files) >= goal &&
    files.every(({ alive, unused }) => unused.length === 0 && alive.every(({ why }) => why !== undefined))
  )
}

function scoreOf(files) {
  const count = files.reduce((sum, file) => sum + file.count, 0)
  return 1 - files.reduce((sum, file) => sum + file.alive.length, 0) / count
}

export function describeReport(files) {
  const alive = files.flatMap(({ path, alive: own }) => own.map(mutant => ({ path, ...mutant })))
  const rows = files.map(file => rowOf(`\`${file.path}\``, [file]))
  const byLimit = files.flatMap(({ path, byLimit: own }) => own.map(mutant => ({ path, ...mutant })))
  const unused = files.flatMap(file => file.unused.map(({ line, to }) => `${file.path}: ${line} → ${to}`))
  return `${[
    '| file | mutants | killed | survived | score |',
    '|---|---|---|---|---|',
    ...rows,
    rowOf('**all**', files),
    '',
    '| survivor | becomes | why |',
    '|---|---|---|',
    ...alive.map(
      ({ path, line, from, to, why }) =>
        `| ${path}:${line} ${code(from)} | ${code(to)} | ${why ?? '**no reason is listed**'} |`,
    ),
    ...(byLimit.length === 0 ? [] : limitHead),
    ...byLimit.map(
      ({ path, line, from, to, killer }) => `| ${path}:${line} ${code(from)} | ${code(to)} | ${killer} |`,
    ),
    ...unused.map(reason => `\nA reason without a survivor: ${reason}`),
  ].join('\n')}\n`
}

const limitHead = [
  '',
  'Each of these was killed in two runs by a limit of time or the end of its process. The second run had twice the time:',
  '',
  '| mutant | becomes | killed by |',
  '|---|---|---|',
]

/** The page docs/mutants.md. */
export function describePage(report, now) {
  return `# Mutants

\`npm run test:mutants -- --write\` writes this page; do not edit it. Each mutant is one change in a rule. It is killed when a
test of the rule fails, does not end or ends its process; it survives when all tests pass.
[D130](decisions/D130-mutants.md) says why and how; \`tests/mutants/targets.mjs\` says why each file is in the list.

A run repeats a file only when the file, its tests or a file that these tests import has changed. With \`--survivors\` a
mutant that an earlier run of the same source killed counts as killed without another run; \`--fresh\` repeats everything.

The run of ${now.toISOString().slice(0, 10)}, Node ${process.version}:

${report}`
}

function rowOf(name, files) {
  const count = files.reduce((sum, file) => sum + file.count, 0)
  const survived = files.reduce((sum, file) => sum + file.alive.length, 0)
  return `| ${name} | ${count} | ${count - survived} | ${survived} | ${(scoreOf(files) * 100).toFixed(1)} % |`
}

function code(text) {
  const short = text.replace(/\s+/g, ' ').slice(0, 80)
  return short === '' ? 'nothing' : `\`${short.replaceAll('|', '\\|')}\``
}
