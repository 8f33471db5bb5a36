import { CsvError, type Options, parse } from 'csv-parse/sync'
import * as z from 'zod/mini'
import type { OpenedFile } from './command.ts'

/** The schema of each column. An empty cell, or one of a missing column, is undefined. */
export type Columns = Record<string, z.ZodMiniType<unknown, string | undefined>>
export type Row<Shape extends Columns> = {
  line: number
  values: { [Name in keyof Shape]: z.output<Shape[Name]> }
  /** Formats a fault of this row: `offices.csv, line 7: timeZone: …`. */
  fault(column: keyof Shape & string, why: string): string
}
export type Table<Shape extends Columns> =
  | { kind: 'rows'; rows: Row<Shape>[] }
  | { kind: 'faults'; faults: string[] }

const maxShownFaults = 50

/**
 * Reads a CSV file (RFC 4180, UTF-8, `,` or `;`), or returns faults: why the file cannot be read, else the faults of its first
 * line, else those of its rows.
 */
export function readTable<Shape extends Columns>(file: OpenedFile, columns: Shape): Table<Shape> {
  if (file.kind === 'unreadable') return { kind: 'faults', faults: [file.reason] }
  const text = decode(file.bytes)
  if (text === undefined)
    return { kind: 'faults', faults: [`${file.name}: It is not UTF-8. Save it as "CSV UTF-8".`] }
  const records = readRecords(file.name, text)
  if (typeof records === 'string') return { kind: 'faults', faults: [records] }
  const [header, ...rest] = records
  if (header === undefined) return { kind: 'faults', faults: [`${file.name}: It is empty.`] }
  const names = header.cells
  const wrong = headerFaults(names, columns).map(fault => `${file.name}, line ${header.line}: ${fault}`)
  if (wrong.length > 0) return { kind: 'faults', faults: wrong }
  const read = rest.map(record => readRow(record, { name: file.name, names, columns }))
  const faults = read.flatMap(each => (each.kind === 'faults' ? each.faults : []))
  if (faults.length > 0) return { kind: 'faults', faults: limitFaults(faults) }
  return { kind: 'rows', rows: read.flatMap(each => (each.kind === 'row' ? [each.row] : [])) }
}

/** Returns the first 50 faults and the number of the others, because thousands of faults usually have one cause. */
export function limitFaults(faults: string[]): string[] {
  const more = faults.length - maxShownFaults
  return more > 0 ? [...faults.slice(0, maxShownFaults), `… and ${more} more.`] : faults
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined // not UTF-8
  }
}

type Line = { line: number; cells: string[] }

function readRecords(name: string, text: string): Line[] | string {
  const [first = ''] = text.split('\n', 1)
  const options: Options = {
    delimiter: first.includes(';') && !first.includes(',') ? ';' : ',',
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  }
  try {
    // With `info` each record has its line number, which the types of the library omit.
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[]
    return records
      .map(({ record, info }) => ({ line: info.lines - countLineBreaks(record), cells: record }))
      .filter(({ cells }) => cells.some(cell => cell !== ''))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return `${name}, line ${String(error['lines'])}: A quotation mark is in a wrong place, or one is missing.`
  }
}

function countLineBreaks(cells: string[]): number {
  return cells.join('').split('\n').length - 1
}

function headerFaults(names: string[], columns: Columns): string[] {
  const known = Object.keys(columns)
  const needed = known.filter(name => !z.safeParse(columns[name] ?? z.never(), undefined).success)
  const missing = needed.filter(name => !names.includes(name)).map(name => `${name}: This column is missing.`)
  const others = names
    .filter(name => !known.includes(name))
    .map(name => `${name || '(no name)'}: There is no such column. The columns are ${known.join(', ')}.`)
  const twice = names.filter((name, index) => known.includes(name) && names.indexOf(name) !== index)
  return [...missing, ...others, ...twice.map(name => `${name}: This column is there twice.`)]
}

type Reading<Shape> = { name: string; names: string[]; columns: Shape }
type ReadRow<Shape extends Columns> = { kind: 'row'; row: Row<Shape> } | { kind: 'faults'; faults: string[] }

function readRow<Shape extends Columns>(
  { line, cells }: Line,
  { name, names, columns }: Reading<Shape>,
): ReadRow<Shape> {
  const at = `${name}, line ${line}`
  if (cells.length !== names.length) {
    const why = `It has ${cells.length} cells, where the first line has ${names.length}.`
    return { kind: 'faults', faults: [`${at}: ${why}`] }
  }
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [column, schema] of Object.entries(columns)) {
    const cell = cells[names.indexOf(column)] || undefined
    const read = z.safeParse(schema, cell)
    if (read.success) values[column] = read.data
    else faults.push(`${at}: ${column}: ${explain(cell, read.error)}`)
  }
  if (faults.length > 0) return { kind: 'faults', faults }
  return {
    kind: 'row',
    row: {
      line,
      // Each cell was parsed with the schema of its column.
      values: values as Row<Shape>['values'],
      fault: (column, why) => `${at}: ${column}: ${why}`,
    },
  }
}

function explain(cell: string | undefined, error: z.core.$ZodError): string {
  if (cell === undefined) return 'It must be filled in.'
  return `"${cell}" ${error.issues[0]?.message ?? 'is not understood'}.`
}
