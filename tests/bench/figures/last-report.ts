/** What the report of an earlier run tells, to compare with. */
export type LastReport = { date: string; ratios: ReadonlyMap<string, number> }

/** In the name of each figure that is a ratio. */
const ratioSign = '÷'

/** The line of the report that tells where and when it was measured. */
export function describeMachine(machine: string, date: string): string {
  return `Measured on ${date} with ${machine}.`
}

/** Returns undefined when the report names another machine, or no machine. */
export function readLastReport(report: string, machine: string): LastReport | undefined {
  const [, date, measuredWith] = /^Measured on (\S+) with (.+)\.$/m.exec(report) ?? []
  if (date === undefined || measuredWith !== machine) return undefined
  const rows = report.split('\n').map(line => line.split('|').map(cell => cell.trim()))
  const ratios = rows.flatMap(([, name = '', measured = '']): [string, number][] =>
    name.includes(ratioSign) && Number(measured) > 0 ? [[name, Number(measured)]] : [],
  )
  return { date, ratios: new Map(ratios) }
}

/** Returns by how many percent the current figure is above the earlier one; undefined without an earlier one. */
export function percentFrom(earlier: number | undefined, current: number): number | undefined {
  return earlier === undefined ? undefined : (current / earlier - 1) * 100
}
