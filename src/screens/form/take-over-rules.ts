import {
  clearHidden,
  emptyForm,
  type FieldName,
  fieldsOfTab,
  type FormValues,
} from '#contract/application.ts'
import type { Beneficiary } from '#contract/beneficiary.ts'
import { isUnderAge } from '#contract/birth.ts'
import { representativeFields } from '#contract/parent.ts'
import { birthDate, residence } from '#contract/person.ts'

/** What can be taken over from an earlier application of the same account, in the order of the button's text (FRM20). */
const groups = ['address', 'contact', 'parents', 'representative'] as const
export type TakeOverGroup = (typeof groups)[number]

/** Each list of a group has fields that are taken over together or not at all: a mix of two addresses would be wrong. */
const parts = {
  address: [[...Object.values(residence), 'resAddressStreet']],
  contact: [['dialCode', 'phoneNumber'], ['email']],
  parents: [
    ['motherSurname', 'motherGivenName'],
    ['fatherSurname', 'fatherGivenName'],
  ],
  representative: [
    fieldsOfTab.ParentData.filter(name => name === 'addReprData' || name in representativeFields),
  ],
} as const satisfies Record<TakeOverGroup, readonly (readonly FieldName[])[]>

type TakeOverCase = {
  earlier: FormValues
  current: FormValues
  /** Undefined when this device does not know it. */
  beneficiary: Beneficiary | undefined
  /** YYYY-MM-DD */
  today: string
}

/** The answers to copy into the form, and the groups that they belong to. */
export type TakenOver<Group> = { groups: Group[]; answers: Partial<FormValues> }

/** Returns the answers that fill the parts that are still empty. */
export function takeOver({
  earlier: given,
  current,
  beneficiary,
  today,
}: TakeOverCase): TakenOver<TakeOverGroup> {
  const earlier = clearHidden(given)
  const filled = groups
    .filter(group => isOfSamePeople(group, { earlier, beneficiary, today }))
    .map(group => ({
      group,
      fields: parts[group].filter(part => isAnswered(part, earlier) && isEmpty(part, current)).flat(),
    }))
    .filter(({ fields }) => fields.length > 0)
  const answers = filled.flatMap(({ fields }) => fields.map(field => [field, earlier[field]]))
  return { groups: filled.map(({ group }) => group), answers: Object.fromEntries(answers) }
}

/**
 * Whether the group can be the same in both applications. The parents of a child are taken over only from an
 * application that is surely of a child, those of the account holder only from any other one. A representative is taken
 * over only from an application that is surely of a child and names one, and never for the account holder.
 */
function isOfSamePeople(
  group: TakeOverGroup,
  { earlier, beneficiary, today }: Omit<TakeOverCase, 'current'>,
): boolean {
  if (group === 'address' || group === 'contact') return true
  const isChild = isOfChild(earlier, today)
  if (group === 'representative' && !(isChild && earlier.addReprData === 'YES')) return false
  if (beneficiary === 'child') return isChild
  return beneficiary !== 'me' || !isChild
}

/** Whether the form is certainly of a person under 18. `today`: YYYY-MM-DD */
export function isOfChild(values: FormValues, today: string): boolean {
  return isUnderAge(values, birthDate, { unknown: values.dateOfBirthUnknown, today })
}

/** Whether one of the fields has another answer than in an empty form. */
export function isAnswered(fields: readonly FieldName[], values: FormValues): boolean {
  const unanswered = emptyForm()
  return fields.some(field => values[field] !== unanswered[field])
}

/** The form itself sets `addReprData` to YES for a child: that is no answer of the applicant (REP15). */
function isEmpty(fields: readonly FieldName[], values: FormValues): boolean {
  return !isAnswered(
    fields.filter(field => field !== 'addReprData' || values.addReprData === 'NO'),
    values,
  )
}
