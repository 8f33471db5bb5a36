import type { Outcome } from './engine-fixture.ts'

/**
 * The table of a run: one row for each engine, one column for each step, and below it the reasons of failed steps and of
 * engines that are absent.
 */
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
  const steps = outcomes.find(({ whyNotRun }) => whyNotRun === undefined)?.steps.map(({ name }) => name) ?? []
  const rows = [
    ['engine', 'version', ...steps],
    ['---', '---', ...steps.map(() => '---')],
    ...outcomes.map(({ engine, version, whyNotRun, steps: done }) =>
      whyNotRun === undefined
        ? [
            engine,
            version,
            ...done.map(({ result, seconds }) => (result === 'green' ? `green, ${seconds} s` : result)),
          ]
        : [engine, 'absent', ...steps.map(() => '–')],
    ),
  ]
  const reasons = outcomes.flatMap(({ engine, whyNotRun, steps: done }) => [
    ...(whyNotRun === undefined ? [] : [`${engine}: ${whyNotRun}`]),
    ...done.flatMap(({ name, reason }) => (reason === undefined ? [] : [`${engine}, ${name}: ${reason}`])),
  ])
  return [...rows.map(row => `| ${row.join(' | ')} |`), '', ...reasons].join('\n')
}
