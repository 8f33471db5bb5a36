import {
  checkAnswers,
  Draft as DraftForm,
  emptyForm,
  type FieldName,
  type FormValues,
} from '#contract/application.ts'
import { fieldUnits } from '#contract/field-units.ts'
import type { Draft } from '#store/draft.ts'
import { take, tidied } from './merge.ts'

/** Answers that no server takes, not even in an incomplete form: too long, or out of no list (D14). */
export function unfitFields(values: FormValues): readonly FieldName[] {
  const known = found.get(values)
  if (known) return known
  const checked = checkAnswers(DraftForm, tidied(values))
  const fields = checked.kind === 'faults' ? checked.issues.map(({ field }) => field) : []
  found.set(values, fields)
  return fields
}

/** The form as it can travel: one answer that cannot does not hold up the others. */
export function withoutUnfit({ values, base }: Pick<Draft, 'values' | 'base'>): FormValues {
  const unfit = unfitFields(values)
  if (unfit.length === 0) return values
  const before = base?.values ?? emptyForm()
  return fieldUnits
    .filter(unit => unit.some(field => unfit.includes(field)))
    .reduce((form, unit) => take(unit, before, form), values)
}

/** A form is never changed in place, and is asked about at every key: checked once. */
const found = new WeakMap<FormValues, readonly FieldName[]>()
