import {
  checkAnswers,
  Draft as DraftForm,
  emptyForm,
  type FieldName,
  type FormValues,
} from '#contract/application.ts'
import { copyFields, fieldGroups } from '#contract/field-groups.ts'
import type { Draft } from '#store/draft.ts'
import { normalised } from './merge.ts'

/**
 * Fields that the server refuses even in an incomplete form: too long, not in the list of choices, or with characters that the
 * field does not allow (D14).
 */
export function unsendableFields(values: FormValues): readonly FieldName[] {
  const known = cachedFields.get(values)
  if (known) return known
  const checked = checkAnswers(DraftForm, normalised(values))
  const fields = checked.kind === 'faults' ? checked.issues.map(({ field }) => field) : []
  cachedFields.set(values, fields)
  return fields
}

/**
 * The form without unsendable answers, so that the other field groups can be sent: each group with an unsendable answer gets
 * the server's values, or those of the empty form while the draft has no `base`.
 */
export function withoutUnsendable({ values, base }: Pick<Draft, 'values' | 'base'>): FormValues {
  const unsendable = unsendableFields(values)
  if (unsendable.length === 0) return values
  const before = base?.values ?? emptyForm()
  return fieldGroups
    .filter(group => group.some(field => unsendable.includes(field)))
    .reduce((form, group) => copyFields(group, before, form), values)
}

/** Forms are immutable and read at every keystroke, so each is checked once. */
const cachedFields = new WeakMap<FormValues, readonly FieldName[]>()
