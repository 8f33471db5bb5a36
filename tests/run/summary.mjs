/**
 * Returns the summary of a test run: one line for each check and project, what was skipped or sampled, the time.
 * `report` is the report of count-reporter.mjs, undefined when no test ran.
 */
export function describeRun({ counts, report, notRun, wallMs, cpuSeconds }) {
  const width = Math.max(...counts.map(({ project }) => project.length), 0)
  const lines = counts.map(count => `  ${count.project.padEnd(width)}  ${describeCount(count)}`)
  if (notRun.length > 0) lines.push(`  not run, because a check failed: ${notRun.join(', ')}`)
  const cpu = cpuSeconds === undefined ? '' : `, ${describeSeconds(cpuSeconds)} of CPU`
  return [
    'Test run',
    ...lines,
    ...describeLeft(report),
    `Took ${describeSeconds(wallMs / 1000)}${cpu}.`,
  ].join('\n')
}

/** Returns the last line of the output, which programs read: the sums of all counts. */
export function lastLine(counts) {
  const sum = name => counts.reduce((total, count) => total + count[name], 0)
  return `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`
}

function describeCount({ passed, failed, skipped }) {
  const parts = [`${passed} passed`]
  if (failed > 0) parts.push(`${failed} FAILED`)
  if (skipped > 0) parts.push(`${skipped} skipped`)
  return parts.join(', ')
}

function describeLeft(report) {
  if (report === undefined) return []
  const lines = report.skipped.map(({ file, count, reason }) => `  ${file}: ${count} skipped, ${reason}`)
  if (report.sampled.length > 0) lines.push(`  a sample of the cases in: ${report.sampled.join(', ')}`)
  return lines.length === 0 ? [] : ['Skipped or sampled', ...lines]
}

function describeSeconds(seconds) {
  const rounded = Math.round(seconds)
  return rounded < 60 ? `${rounded} s` : `${Math.floor(rounded / 60)} min ${rounded % 60} s`
}
