import { clearHidden, type FieldName, type FormValues } from '#contract/application.ts'
import { isBlank } from '#contract/fields.ts'
import type { representativeFields } from '#contract/parent.ts'
import { isAnswered, isOfChild, type TakenOver } from './take-over-rules.ts'

/** For each field of the representative: the field of the person with the same answer. */
const personFieldOf = {
  identity: {
    reprSurname: 'surname',
    reprGivenName: 'givenName',
    reprGender: 'gender',
    reprDayOfBirth: 'dayOfBirth',
    reprMonthOfBirth: 'monthOfBirth',
    reprYearOfBirth: 'yearOfBirth',
    reprDateOfBirthUnknown: 'dateOfBirthUnknown',
    reprPlaceOfBirth: 'placeOfBirth',
    reprRegionCode: 'regionCode',
    reprDepartmentCode: 'departmentCode',
    reprLocalityId: 'localityId',
    reprCity: 'city',
    reprCountryOfResidence: 'resAddressCountry',
  },
  occupation: { reprOccupation: 'occupation', reprOtherOccupation: 'otherOccupation' },
  card: {
    reprNicNumber: 'nicNumber',
    reprNicDateOfIssuance: 'nicDateOfIssuance',
    reprNicDateOfExpiry: 'nicDateOfExpiry',
    reprNicPlaceOfIssuance: 'nicPlaceOfIssuance',
  },
} as const satisfies Record<string, Partial<Record<keyof typeof representativeFields, FieldName>>>
export type PersonGroup = keyof typeof personFieldOf

const personGroups = ['identity', 'occupation', 'card'] as const satisfies PersonGroup[]
/** A group is copied only when the person has an answer in this field. */
const neededField = {
  identity: 'surname',
  occupation: 'occupation',
  card: 'nicNumber',
} as const satisfies Record<PersonGroup, FieldName>

/**
 * Returns the answers that make the person of an earlier application the representative of a child, because often a
 * parent applies first (REP17). Returns none when a part of the representative's identity is known, or when that person
 * has no surname or is certainly under 18. An occupation or a card that the representative already has is not replaced.
 * `today`: YYYY-MM-DD.
 */
export function takeOverRepresentative({
  earlier: given,
  current,
  today,
}: {
  earlier: FormValues
  current: FormValues
  today: string
}): TakenOver<PersonGroup> {
  const earlier = clearHidden(given)
  const copied = personGroups.filter(
    group => !isBlank(earlier[neededField[group]]) && !isAnswered(fieldsOf(group), current),
  )
  // The occupation of one person beside the identity of another would be wrong.
  if (!copied.includes('identity') || isOfChild(earlier, today)) return { groups: [], answers: {} }
  const pairs = copied.flatMap(group => Object.entries(personFieldOf[group]))
  return { groups: copied, answers: Object.fromEntries(pairs.map(([to, from]) => [to, earlier[from]])) }
}

function fieldsOf(group: PersonGroup): FieldName[] {
  return Object.keys(personFieldOf[group]) as FieldName[] // the keys are those of the representative
}
