import { markdown } from '../table.ts'
import { type ScreenVisit, totalWork, workByQuestion, workByScreen } from './applicant-work.ts'

const listed = 10

/**
 * The work of the applicant: the goals, each screen, and where most of it is. `fewest`: the visits of an applicant who
 * answers only the mandatory questions. The phone-heights of a screen reach to the lowest control that the applicant
 * uses, those of the “whole document” to the end of the page.
 */
export function describeWork(visits: readonly ScreenVisit[], fewest: readonly ScreenVisit[]): string {
  const total = totalWork(visits)
  const least = totalWork(fewest)
  const { nextKeys } = total
  const measured = [
    ['taps', String(total.taps), String(least.taps), '≤ 45'],
    ['screens', String(total.screens), String(least.screens), '≤ 12'],
    ['keys', String(total.keys), String(least.keys), '≤ 110'],
    ['phone-heights', total.usedPhoneHeights.toFixed(1), least.usedPhoneHeights.toFixed(1), '≤ 22'],
  ]
  const rows = [...workByScreen(visits), { ...total, screen: '**sum**' }].map(row => [
    row.screen,
    String(row.taps),
    String(row.keys),
    row.usedPhoneHeights.toFixed(2),
    row.documentPhoneHeights.toFixed(2),
  ])
  return `${markdown(['figure', 'measured', 'only mandatory answers', 'goal'], measured)}

${nextKeys} of the keys are presses of the Next key. An applicant who never uses it needs ${total.taps + nextKeys} taps and ${total.keys - nextKeys} keys.

${markdown(['screen', 'taps', 'keys', 'phone-heights', 'whole document'], rows)}

Most taps: ${mostOf(visits, 'taps')}.

Most keys: ${mostOf(visits, 'keys')}.
`
}

function mostOf(visits: readonly ScreenVisit[], figure: 'taps' | 'keys'): string {
  return workByQuestion(visits)
    .toSorted((one, other) => other[figure] - one[figure])
    .slice(0, listed)
    .map(row => `${row.question} ${row[figure]}`)
    .join(', ')
}
