import { blankLiterals, readLiterals } from './source-text.mjs'
import type { SourceFile } from './source-tree.ts'

/** One expression in a source file that reads a time. `line` counts from 1. */
export interface ClockRead {
  path: string
  line: number
  /** The expression as it is in the source, such as `Date.now`. */
  found: string
}

/**
 * Expressions that read the time of the machine. Only the files that clock.test.ts lists may use them; tests may also use
 * `performance.now`.
 */
const codeReads = [
  /\bDate\.now\b/g,
  /(?<![.\w$])Date\(\s*\)/g,
  /\bmachineClock\b/g,
  /\bTemporal\.Now\b/g,
  /\bprocess\.(?:hrtime|uptime)\b/g,
  /\bperformance\.(?:now|timeOrigin)\b/g,
  /\bstdTimeFunctions\b/g,
  // Intl formats the current time when it gets no date.
  /\.format(?:ToParts)?\(\s*\)/g,
]

/** SQL expressions of the current time, without `now()`: tests replace this function, and so set its time. */
const sqlReads =
  /\b(?:current_(?:timestamp|date|time)\b|localtime(?:stamp)?\b|(?:clock|statement|transaction)_timestamp\s*\(|timeofday\s*\()|'now'/gi

/** Returns each expression that reads the time of the machine, or a time of the database that tests cannot set. */
export function findClockReads(files: SourceFile[]): ClockRead[] {
  return files.flatMap(file => {
    const code = blankLiterals(file.text)
    const inCode = codeReads.flatMap(pattern => [...code.matchAll(pattern)])
    const inSql = readLiterals(file.text).flatMap(literal =>
      [...literal.text.matchAll(sqlReads)].map(match => ({
        0: match[0],
        index: literal.start + match.index,
      })),
    )
    return [...inCode, ...inSql].map(({ 0: found, index }) => ({
      path: file.path,
      line: file.text.slice(0, index).split('\n').length,
      found,
    }))
  })
}

/** Library calls that read the time of the machine unless they get `option`, the time of the service. */
const callsWithTimeOption = [
  { call: /\bjwtVerify\s*\(/, option: /\bcurrentDate\s*:/, name: 'currentDate' },
  { call: /\bsendMail\s*\(/, option: /\bdate\s*:/, name: 'date' },
  { call: /\bnew PDFDocument\s*\(/, option: /\bCreationDate\s*:/, name: 'CreationDate' },
  { call: /<DayPicker\b/, option: /\btoday=/, name: 'today' },
  // Without an argument the call always reads the machine's time: /(?!)/ matches no text.
  { call: /\bsetIssuedAt\s*\(\s*\)/, option: /(?!)/, name: 'an argument' },
]

/** For each of these calls, returns one line for each file that makes the call and does not contain its time option. */
export function findCallsWithoutTime(files: SourceFile[]): string[] {
  return files.flatMap(file => {
    const code = blankLiterals(file.text)
    return callsWithTimeOption
      .filter(({ call, option }) => call.test(code) && !option.test(code))
      .map(({ name }) => `${file.path}: pass the service's time to the library (${name})`)
  })
}
