import { markdown } from '../table.ts'
import { type LastReport, percentFrom } from './last-report.ts'
import { pageNames } from './page-names.ts'
import { type FigureName, figureByRound, ratioByRound, type Round, spreadOf } from './rounds.ts'

type Goal = {
  name: string
  limit: number
  decimals: number
  /** A ratio can be compared between two runs on the same machine. */
  isRatio: boolean
  measure: (rounds: readonly Round[]) => (number | undefined)[]
}

const { staticPage, worker, react, portal, form } = pageNames

const goals: readonly Goal[] = [
  kibGoal('script before the first accepted key, KiB', 'scriptBytesBeforeReady', 0),
  ratioGoal('ready ÷ static page', [portal, staticPage, 'readyMs'], 1.3),
  ratioGoal('ready ÷ static page, next goal', [portal, staticPage, 'readyMs'], 1.2),
  ratioGoal('hydrated ÷ React page', [portal, react, 'hydratedMs'], 1.45),
  kibGoal('script when hydrated, KiB', 'scriptBytesWhenHydrated', 350),
  kibGoal('total transfer when idle, KiB', 'bytesAtIdle', 165),
  ratioGoal('warm ÷ static page with a worker', [portal, worker, 'warmMs'], 1.7),
  ratioGoal('offline ÷ static page with a worker', [portal, worker, 'offlineMs'], 2),
  ratioGoal('CPU for a key on the first page ÷ static page', [portal, staticPage, 'cpuMsPerKey'], 1.4),
  ratioGoal('CPU for a key in the form ÷ static page', [form, staticPage, 'cpuMsPerKey'], 1.4),
  // A key of a slow typist, after which the form saves; the static page gets its keys at the same pace.
  ratioGoal('CPU for a key that the form saves ÷ static page', [form, staticPage, 'cpuMsPerSlowKey'], 1.4),
  {
    name: 'p95 of a key in the form, ms',
    limit: 40,
    decimals: 1,
    isRatio: false,
    measure: rounds => figureByRound(rounds, { page: form, figure: 'p95Ms' }),
  },
]

function ratioGoal(name: string, [above, below, figure]: [string, string, FigureName], limit: number): Goal {
  return {
    name,
    limit,
    decimals: 2,
    isRatio: true,
    measure: rounds => ratioByRound(rounds, { page: above, figure }, { page: below, figure }),
  }
}

function kibGoal(name: string, figure: FigureName, limit: number): Goal {
  return {
    name,
    limit,
    decimals: 1,
    isRatio: false,
    measure: rounds =>
      figureByRound(rounds, { page: portal, figure }).map(bytes =>
        bytes === undefined ? undefined : bytes / 1_024,
      ),
  }
}

/** Two runs of the same release on a machine that does nothing else should differ by at most this. */
const maxDifferencePercent = 5

/**
 * Returns the table of the goals, and a line that compares its ratios with those of the last report, or says why not.
 */
export function describeGoals(rounds: readonly Round[], last: LastReport | undefined): string {
  const differences: { name: string; percent: number }[] = []
  const rows = goals.map(({ name, limit, decimals, isRatio, measure }) => {
    const measured = spreadOf(measure(rounds))
    if (measured === undefined) return [name, 'not measured', '–', `≤ ${limit}`, '–', '–']
    const text = measured.median.toFixed(decimals)
    const percent = isRatio ? percentFrom(last?.ratios.get(name), Number(text)) : undefined
    if (percent !== undefined) differences.push({ name, percent })
    // The figure as printed, so that the report agrees with itself.
    const isMet = Number(text) <= limit ? 'yes' : '**no**'
    return [name, text, measured.iqr.toFixed(decimals), `≤ ${limit}`, isMet, signed(percent)]
  })
  const head = ['figure', 'measured', 'IQR', 'goal', 'met', 'against the last report']
  return `${markdown(head, rows)}\n\n${describeDifferences(differences, last)}`
}

function describeDifferences(
  differences: { name: string; percent: number }[],
  last: LastReport | undefined,
): string {
  const [largest] = differences.toSorted((one, other) => Math.abs(other.percent) - Math.abs(one.percent))
  if (last === undefined) return 'There was no earlier report of the same machine to compare with.'
  if (largest === undefined)
    return `The report of ${last.date} and this run share no measured ratio, so nothing is compared.`
  const percent = Math.abs(largest.percent).toFixed(1)
  return `The ratios differ from those of ${last.date} by at most ${percent} % (${largest.name}). Two runs of the same release on a machine that does nothing else should differ by at most ${maxDifferencePercent} %.`
}

function signed(percent: number | undefined): string {
  if (percent === undefined) return '–'
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`
}
