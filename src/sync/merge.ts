import { emptyForm, type FieldName, type FormValues, normaliseForm } from '#contract/application.ts'
import { fieldGroups } from '#contract/field-groups.ts'

/** Both sides changed what belongs together, and differently: only the applicant can say which holds. */
export type Conflict = { fields: readonly FieldName[]; mine: FormValues; theirs: FormValues }

export type Sides = { base: FormValues | undefined; mine: FormValues; theirs: FormValues }

/**
 * Three-way merge by unit (D32): what one side alone changed is that side's; the same change on both sides is none.
 * Where both differ `values` keeps mine until the choice is made. Answers count as they travel, tidied.
 */
export function mergeForms({ base, mine, theirs }: Sides): { values: FormValues; choices: Conflict[] } {
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
  return { values, choices: conflicts }
}

/** Whether two forms say the same to the server. */
export function isSameForm(one: FormValues, other: FormValues): boolean {
  if (one === other) return true
  const [first, second] = [normalised(one), normalised(other)]
  return fieldGroups.every(fields => isSame(fields, first, second))
}

/** The form with one unit's answers out of another. */
export function copyFields(fields: readonly FieldName[], from: FormValues, into: FormValues): FormValues {
  return { ...into, ...Object.fromEntries(fields.map(field => [field, from[field]])) }
}

/** The form as it travels. */
export function normalised(form: FormValues): FormValues {
  const known = normalisedForms.get(form) ?? normaliseForm(form)
  normalisedForms.set(form, known)
  return known
}

function isSame(fields: readonly FieldName[], one: FormValues, other: FormValues): boolean {
  return fields.every(field => one[field] === other[field])
}

/** A form is never changed in place, and is asked about after every pause: tidied once. */
const normalisedForms = new WeakMap<FormValues, FormValues>()
