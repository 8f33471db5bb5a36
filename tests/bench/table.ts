import type { Spread } from './figures/rounds.ts'

export function markdown(head: string[], rows: string[][]): string {
  const rule = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [head, rule, ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

export const seconds = (ms: number | undefined) => (ms === undefined ? '–' : (ms / 1_000).toFixed(2))
export const kib = (bytes: number | undefined) => (bytes === undefined ? '–' : (bytes / 1_024).toFixed(1))
const tenths = (value: number) => value.toFixed(1)

/** A median with the interquartile range in brackets. */
export const secondsSpread = (spread: Spread | undefined) => withSpread(spread, seconds)
export const tenthsSpread = (spread: Spread | undefined) => withSpread(spread, tenths)

function withSpread(spread: Spread | undefined, print: (value: number) => string): string {
  return spread === undefined ? '–' : `${print(spread.median)} (${print(spread.iqr)})`
}
