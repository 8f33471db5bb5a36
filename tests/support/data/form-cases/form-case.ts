import type { FieldName, FormValues } from '#contract/application.ts'
import type { IssueCode } from '#contract/issues.ts'

/** The date on which all cases are checked. */
export const today = '2026-06-15'
export const yesterday = '2026-06-14'
export const tomorrow = '2026-06-16'

/** One case of a rule: a complete form with some changed answers, and all its issues. */
export type FormCase = {
  /** Ids of requirements and decisions, such as `REP01 REP04` or `PER12 D109`. */
  rows: string
  name: string
  /** The complete form that `change` is applied to. */
  of: FormValues
  change: Partial<FormValues>
  faults: Faults
}

/** The expected issue of each field; a field without an entry is valid. */
export type Faults = Partial<Record<FieldName, IssueCode>>

/** Returns title and case, as a row for `it.each`. */
export function titled(each: FormCase): [string, FormCase] {
  return [`${each.rows} ${each.name}`, each]
}

export function formOf({ of, change }: Pick<FormCase, 'of' | 'change'>): FormValues {
  return { ...of, ...change }
}

/** Returns a text of this many accented letters. Each counts as one, although it has two bytes. */
export function letters(count: number): string {
  return 'é'.repeat(count)
}
