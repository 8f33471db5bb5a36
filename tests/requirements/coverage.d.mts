export interface Row {
  id: string
  title: string
}

export interface Citation {
  id: string
  line: number
}

export interface AreaCoverage {
  area: string
  rows: number
  named: number
  missing: number
}

export interface Coverage {
  areas: AreaCoverage[]
  missing: Row[]
  named: (Row & { files: string[] })[]
  /** Named only in tests/structure. */
  namedByStructureOnly: (Row & { files: string[] })[]
  unknown: (Citation & { path: string })[]
  /** Tests and blocks that are skipped or planned without a condition. */
  notRun: { path: string; line: number }[]
  /** Lines with `.only`, or with `skip()` without a reason. */
  withoutReason: { path: string; line: number }[]
}

export function readRows(markdown: string): Row[]
export function areaOf(id: string): string
export function readIds(text: string): string[]
export function expandRange(first: string, last: string): string[]
export function findNamedIds(source: string): Citation[]
export function findTabledIds(source: string): Citation[]
export function measureCoverage(rows: Row[], files: { path: string; text: string }[]): Coverage
export function formatReport(coverage: Coverage): string
