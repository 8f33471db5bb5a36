import type { Outcome } from './engine-fixture.ts'

/** The table of a run: one row for each engine, one column for each step, and below it the reasons of failed steps. */
export function createReport() {
  const outcomes: Outcome[] = []
  return {
    add: (outcome: Outcome) => void outcomes.push(outcome),
    print() {
      process.stdout.write(`\n${describeOutcomes(outcomes)}\n`)
    },
  }
}

function describeOutcomes(outcomes: Outcome[]): string {
  const steps = outcomes.find(({ absent }) => absent === undefined)?.steps.map(({ name }) => name) ?? []
  const rows = [
    ['engine', 'version', ...steps],
    ['---', '---', ...steps.map(() => '---')],
    ...outcomes.map(({ engine, version, absent, steps: done }) =>
      absent === undefined
        ? [
            engine,
            version,
            ...done.map(({ result, seconds }) => (result === 'green' ? `green, ${seconds} s` : result)),
          ]
        : [engine, 'absent', ...steps.map(() => '–')],
    ),
  ]
  const reasons = outcomes.flatMap(({ engine, absent, steps: done }) => [
    ...(absent === undefined ? [] : [`${engine}: ${absent}`]),
    ...done.flatMap(({ name, reason }) => (reason === undefined ? [] : [`${engine}, ${name}: ${reason}`])),
  ])
  return [...rows.map(row => `| ${row.join(' | ')} |`), '', ...reasons].join('\n')
}
