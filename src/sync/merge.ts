import { emptyForm, type FieldName, type FormValues, normaliseForm } from '#contract/application.ts'
import { fieldGroups } from '#contract/field-groups.ts'

/** A group of fields that both sides changed differently: the applicant chooses. */
export type Conflict = { fields: readonly FieldName[]; mine: FormValues; theirs: FormValues }

export type Sides = { base: FormValues | undefined; mine: FormValues; theirs: FormValues }

/**
 * Three-way merge by field group (D32). A group that one side alone changed is taken from that side. In a conflict
 * `values` keeps mine until the applicant chooses. Compares normalised answers, as they are sent.
 */
export function mergeForms({ base, mine, theirs }: Sides): { values: FormValues; conflicts: Conflict[] } {
  const normalisedSides = {
    base: normalised(base ?? emptyForm()),
    mine: normalised(mine),
    theirs: normalised(theirs),
  }
  let values = mine
  const conflicts: Conflict[] = []
  for (const fields of fieldGroups) {
    if (
      isSame(fields, normalisedSides.mine, normalisedSides.theirs) ||
      isSame(fields, normalisedSides.base, normalisedSides.theirs)
    )
      continue
    if (isSame(fields, normalisedSides.base, normalisedSides.mine))
      values = copyFields(fields, theirs, values)
    else conflicts.push({ fields, mine, theirs })
  }
  return { values, conflicts }
}

/** Whether both forms are equal when they are sent. */
export function isSameForm(one: FormValues, other: FormValues): boolean {
  if (one === other) return true
  const [first, second] = [normalised(one), normalised(other)]
  return fieldGroups.every(fields => isSame(fields, first, second))
}

/** Returns `into` with these fields copied from `from`. */
export function copyFields(fields: readonly FieldName[], from: FormValues, into: FormValues): FormValues {
  return { ...into, ...Object.fromEntries(fields.map(field => [field, from[field]])) }
}

/** The form as it is sent. */
export function normalised(form: FormValues): FormValues {
  const known = normalisedForms.get(form) ?? normaliseForm(form)
  normalisedForms.set(form, known)
  return known
}

function isSame(fields: readonly FieldName[], one: FormValues, other: FormValues): boolean {
  return fields.every(field => one[field] === other[field])
}

/** Forms are immutable, so each is normalised once. */
const normalisedForms = new WeakMap<FormValues, FormValues>()
