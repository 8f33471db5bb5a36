import { emptyForm, type FieldName, type FormValues, normaliseForm } from '#contract/application.ts'
import { copyFields, fieldGroups, haveSameAnswers } from '#contract/field-groups.ts'

const emptyNormalised = normaliseForm(emptyForm())

/** A group of fields that both sides changed differently: the applicant chooses. `mine` and `theirs`: the whole forms. */
export type Conflict = { fields: readonly FieldName[]; mine: FormValues; theirs: FormValues }

export type Merged = { values: FormValues; conflicts: Conflict[] }

export type Sides = { base: FormValues | undefined; mine: FormValues; theirs: FormValues }

/**
 * Three-way merge by field group (D32). A group that one side alone changed is taken from that side. In a conflict
 * `values` keeps mine until the applicant chooses. Compares normalised answers. Without a base, both sides began with
 * the empty form.
 */
export function mergeForms({ base, mine, theirs }: Sides): Merged {
  const before = normalised(base ?? emptyForm())
  return mergeGroups({ mine, theirs }, (fields, normalisedMine, normalisedTheirs) => {
    if (haveSameAnswers(before, normalisedTheirs, fields)) return 'mine'
    return haveSameAnswers(before, normalisedMine, fields) ? 'theirs' : 'both'
  })
}

/**
 * Merges mine with a form of the server that may be older, as after a restore (D62). An answer of mine is never replaced
 * without a choice, also when it is the default of a new form or was emptied. A group is filled from theirs only when it
 * has no answer in mine, none in `base`, and is not in `emptied`. A group that is empty in theirs stays mine. `base` is
 * the server's form as this device last knew it. Only a submitted form may come without a base. Then the applicant has
 * not seen theirs, and every difference is a conflict, except a group that is empty in theirs.
 */
export function mergeOlderForm({ base, mine, theirs, emptied = [] }: Sides & Emptied): Merged {
  const before = base && normalised(base)
  return mergeGroups({ mine, theirs }, (fields, normalisedMine, normalisedTheirs) => {
    if (haveSameAnswers(normalisedTheirs, emptyNormalised, fields)) return 'mine'
    const isNew = before && isUnanswered(fields, before) && isUnanswered(fields, normalisedMine)
    return isNew && !isEmptied(fields, emptied) ? 'theirs' : 'both'
  })
}

/**
 * `emptied` names groups by their first field: those that had an answer in an earlier form of the server and have none in
 * `base`.
 */
type Emptied = { emptied?: readonly FieldName[] | undefined }

/** Returns `emptied` for a draft whose base changes from `before` to `after`; undefined when no group is emptied. */
export function emptiedGroups({
  before,
  after,
  emptied = [],
}: { before: FormValues | undefined; after: FormValues } & Emptied): FieldName[] | undefined {
  const [earlier, next] = [before && normalised(before), normalised(after)]
  const had = (fields: readonly FieldName[]) =>
    isEmptied(fields, emptied) || (earlier !== undefined && !isUnanswered(fields, earlier))
  const groups = fieldGroups.filter(fields => isUnanswered(fields, next) && had(fields))
  return groups.length === 0 ? undefined : groups.flatMap(fields => fields.slice(0, 1))
}

function isEmptied([first]: readonly FieldName[], emptied: readonly FieldName[]): boolean {
  return first !== undefined && emptied.includes(first)
}

type TwoSides = Omit<Sides, 'base'>

/** Calls `winnerOf` with the normalised forms for each group that differs. */
function mergeGroups(
  { mine, theirs }: TwoSides,
  winnerOf: (
    fields: readonly FieldName[],
    normalisedMine: FormValues,
    normalisedTheirs: FormValues,
  ) => 'mine' | 'theirs' | 'both',
): Merged {
  const [normalisedMine, normalisedTheirs] = [normalised(mine), normalised(theirs)]
  let values = mine
  const conflicts: Conflict[] = []
  for (const fields of fieldGroups) {
    if (haveSameAnswers(normalisedMine, normalisedTheirs, fields)) continue
    const winner = winnerOf(fields, normalisedMine, normalisedTheirs)
    if (winner === 'theirs') values = copyFields(fields, theirs, values)
    if (winner === 'both') conflicts.push({ fields, mine, theirs })
  }
  return { values, conflicts }
}

/** In a group of one field a default is an answer. A place or a phone number with only the default country is none. */
function isUnanswered(fields: readonly FieldName[], form: FormValues): boolean {
  const isEmpty = fields.every(field => form[field] === '' || form[field] === false)
  return isEmpty || (fields.length > 1 && haveSameAnswers(form, emptyNormalised, fields))
}

/** Whether both forms are equal when they are sent. */
export function isSameForm(one: FormValues, other: FormValues): boolean {
  if (one === other) return true
  const [first, second] = [normalised(one), normalised(other)]
  return fieldGroups.every(fields => haveSameAnswers(first, second, fields))
}

/** The form as `normaliseForm` returns it. Unlike in the sent form, `phoneNumber` has no dial code: only `dialCode` has it. */
export function normalised(form: FormValues): FormValues {
  const known = normalisedForms.get(form) ?? normaliseForm(form)
  normalisedForms.set(form, known)
  return known
}

/** Forms are immutable, so each is normalised once. */
const normalisedForms = new WeakMap<FormValues, FormValues>()
