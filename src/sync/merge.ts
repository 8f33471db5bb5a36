import { emptyForm, type FieldName, type FormValues, tidyForm } from '#contract/application.ts'
import { fieldUnits } from '#contract/field-units.ts'

/** Both sides changed what belongs together, and differently: only the applicant can say which holds. */
export type Choice = { fields: readonly FieldName[]; mine: FormValues; theirs: FormValues }

export type Sides = { base: FormValues | undefined; mine: FormValues; theirs: FormValues }

/**
 * Three-way merge by unit (D32): what one side alone changed is that side's; the same change on both sides is none.
 * Where both differ `values` keeps mine until the choice is made. Answers count as they travel, tidied.
 */
export function mergeForms({ base, mine, theirs }: Sides): { values: FormValues; choices: Choice[] } {
  const tidy = { base: tidied(base ?? emptyForm()), mine: tidied(mine), theirs: tidied(theirs) }
  let values = mine
  const choices: Choice[] = []
  for (const fields of fieldUnits) {
    if (isSame(fields, tidy.mine, tidy.theirs) || isSame(fields, tidy.base, tidy.theirs)) continue
    if (isSame(fields, tidy.base, tidy.mine)) values = take(fields, theirs, values)
    else choices.push({ fields, mine, theirs })
  }
  return { values, choices }
}

/** Whether two forms say the same to the server. */
export function sameForm(one: FormValues, other: FormValues): boolean {
  if (one === other) return true
  const [first, second] = [tidied(one), tidied(other)]
  return fieldUnits.every(fields => isSame(fields, first, second))
}

/** The form with one unit's answers out of another. */
export function take(fields: readonly FieldName[], from: FormValues, into: FormValues): FormValues {
  return { ...into, ...Object.fromEntries(fields.map(field => [field, from[field]])) }
}

/** The form as it travels. */
export function tidied(form: FormValues): FormValues {
  const known = tidiedForms.get(form) ?? tidyForm(form)
  tidiedForms.set(form, known)
  return known
}

function isSame(fields: readonly FieldName[], one: FormValues, other: FormValues): boolean {
  return fields.every(field => one[field] === other[field])
}

/** A form is never changed in place, and is asked about after every pause: tidied once. */
const tidiedForms = new WeakMap<FormValues, FormValues>()
