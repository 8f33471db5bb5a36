import {
  checkAnswers,
  Draft as DraftForm,
  emptyForm,
  type FieldName,
  type FormValues,
} from '#contract/application.ts'
import { fieldGroups } from '#contract/field-groups.ts'
import type { Draft } from '#store/draft.ts'
import { copyFields, normalised } from './merge.ts'

/** Answers that no server takes, not even in an incomplete form: too long, or out of no list (D14). */
export function unsendableFields(values: FormValues): readonly FieldName[] {
  const known = cachedFields.get(values)
  if (known) return known
  const checked = checkAnswers(DraftForm, normalised(values))
  const fields = checked.kind === 'faults' ? checked.issues.map(({ field }) => field) : []
  cachedFields.set(values, fields)
  return fields
}

/** The form as it can travel: one answer that cannot does not hold up the others. */
export function withoutUnsendable({ values, base }: Pick<Draft, 'values' | 'base'>): FormValues {
  const unsendable = unsendableFields(values)
  if (unsendable.length === 0) return values
  const before = base?.values ?? emptyForm()
  return fieldGroups
    .filter(unit => unit.some(field => unsendable.includes(field)))
    .reduce((form, unit) => copyFields(unit, before, form), values)
}

/** A form is never changed in place, and is asked about at every key: checked once. */
const cachedFields = new WeakMap<FormValues, readonly FieldName[]>()
