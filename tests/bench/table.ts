export type Figures = Record<string, number | undefined>

function median(values: (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined).toSorted((one, other) => one - other)
  return known[Math.floor(known.length / 2)]
}

/** Returns the median of each figure. */
export function medians(runs: Figures[]): Figures {
  const names = Object.keys(runs[0] ?? {})
  return Object.fromEntries(names.map(name => [name, median(runs.map(run => run[name]))]))
}

export function markdown(head: string[], rows: string[][]): string {
  const rule = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [head, rule, ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

export const seconds = (value: number | undefined) => (value === undefined ? '–' : (value / 1_000).toFixed(2))
export const kib = (value: number | undefined) => (value === undefined ? '–' : (value / 1_024).toFixed(1))
export const tenths = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(1))
