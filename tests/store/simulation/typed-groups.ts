import {
  type FieldName,
  type FormValues,
  normaliseForm,
  shownFields,
  emptyForm,
} from '#contract/application.ts'
import { fieldGroups } from '#contract/field-groups.ts'
import { residence } from '#contract/person.ts'
import { clearedBy } from '#contract/place.ts'
import type { GroupField } from './story-names.ts'

/** The groups of several fields: half of one answer with half of another is no answer of the applicant (D32). */
const groups = fieldGroups.filter(fields => fields.length > 1)

/** The fields that are merged together with this one. */
export function groupOf(field: FieldName): readonly FieldName[] {
  return groups.find(fields => fields.includes(field)) ?? [field]
}

/** The form after the applicant has typed in one field of a group; undefined when the form does not show this field. */
export function withPart(values: FormValues, field: GroupField, value: string): FormValues | undefined {
  if (!shownFields(values).includes(field)) return undefined
  // Another region has other towns (S72).
  const cleared = clearedBy<FieldName>(field, residence).map(each => [each, ''])
  return { ...values, ...Object.fromEntries(cleared), [field]: value }
}

export type ShownGroups = ReturnType<typeof createShownGroups>

/**
 * The answers that a screen has shown for each group since the applicant began to type single fields of groups. A form with any
 * other answer has a mix of two.
 */
export function createShownGroups() {
  const shown = new Set<string>()
  const checked = new WeakSet<FormValues>()
  const add = (form: FormValues) => {
    for (const fields of groups) shown.add(keyOf(fields, form))
  }
  let isUsed = false

  return {
    onTyped(form: FormValues) {
      // Only these steps type in groups, so before the first of them every group was as in an empty form.
      if (!isUsed) [emptyForm(), normaliseForm(emptyForm())].forEach(add)
      isUsed = true
      add(form)
      add(normaliseForm(form))
    },
    /** The first answer of a group that no screen has shown, as text; undefined when there is none. */
    findMixed(forms: readonly FormValues[]): string | undefined {
      if (!isUsed) return undefined
      for (const form of forms.filter(each => !checked.has(each))) {
        const mixed = groups.find(fields => !shown.has(keyOf(fields, form)))
        if (mixed) return keyOf(mixed, form)
        checked.add(form)
      }
      return undefined
    },
  }
}

function keyOf(fields: readonly FieldName[], form: FormValues): string {
  return fields.map(field => `${field} ${String(form[field])}`).join(', ')
}
