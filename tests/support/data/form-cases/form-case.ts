import type { FieldName, FormValues } from '#contract/application.ts'
import type { IssueCode } from '#contract/issues.ts'

/** The day on which all cases stand. */
export const today = '2026-06-15'
export const yesterday = '2026-06-14'
export const tomorrow = '2026-06-16'

/** One rule at its border: a complete form with some answers changed, and all that is then wrong with it. */
export type FormCase = {
  rows: string
  name: string
  of: FormValues
  change: Partial<FormValues>
  faults: Faults
}

/** What is wrong, field by field; a field that is not named has nothing wrong with it. */
export type Faults = Partial<Record<FieldName, IssueCode>>

/** The case with its whole name before it, as a table of tests takes it. */
export function named(each: FormCase): [string, FormCase] {
  return [`${each.rows} ${each.name}`, each]
}

export function formOf({ of, change }: Pick<FormCase, 'of' | 'change'>): FormValues {
  return { ...of, ...change }
}

/** As many letters as that; an accented one counts as one. */
export function letters(count: number): string {
  return 'é'.repeat(count)
}
