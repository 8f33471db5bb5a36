import { blankLiterals, readLiterals } from './source-text.mjs'
import type { SourceFile } from './source-tree.ts'

export interface ClockRead {
  path: string
  line: number
  /** The expression as it is in the source, such as `Date.now`. */
  found: string
}

/** Expressions that read the machine's time. `machineClock` reads it for the service. */
const codeReads = [
  /\bDate\.now\b/g,
  /(?<![.\w$])Date\(\s*\)/g,
  /\bmachineClock\b/g,
  /\bTemporal\.Now\b/g,
  /\bprocess\.(?:hrtime|uptime)\b/g,
  /\bperformance\.(?:now|timeOrigin)\b/g,
  /\bstdTimeFunctions\b/g,
  // Intl formats the present moment when it gets no date.
  /\.format(?:ToParts)?\(\s*\)/g,
]

/** SQL has one clock, `now()`, because tests can replace that function; they cannot replace these. */
const sqlReads =
  /\b(?:current_(?:timestamp|date|time)\b|localtime(?:stamp)?\b|(?:clock|statement|transaction)_timestamp\s*\(|timeofday\s*\()|'now'/gi

/** Each place that reads the machine's time, or asks the database for a time that tests cannot set. */
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

/** Library calls that read the machine's time unless an option gives them another. */
const libraryDefaults = [
  { call: /\bjwtVerify\s*\(/, option: /\bcurrentDate\s*:/, name: 'currentDate' },
  { call: /\bsendMail\s*\(/, option: /\bdate\s*:/, name: 'date' },
  { call: /\bnew PDFDocument\s*\(/, option: /\bCreationDate\s*:/, name: 'CreationDate' },
  { call: /<DayPicker\b/, option: /\btoday=/, name: 'today' },
  { call: /\bsetIssuedAt\s*\(\s*\)/, option: /(?!)/, name: 'an argument' },
]

/** Files that call such a library without that option. */
export function findUntoldLibraries(files: SourceFile[]): string[] {
  return files.flatMap(file => {
    const code = blankLiterals(file.text)
    return libraryDefaults
      .filter(({ call, option }) => call.test(code) && !option.test(code))
      .map(({ name }) => `${file.path}: give the library the service's time (${name})`)
  })
}
