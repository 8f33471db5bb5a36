import { clearHidden, type FieldName, type FormValues } from '#contract/application.ts'
import { isBlank } from '#contract/fields.ts'
import type { representativeFields } from '#contract/parent.ts'
import { isOfChild, type TakenOver } from './take-over-rules.ts'

/** The fields of a representative, and those of the person of an application that have the same answers. */
const asRepresentative = {
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
export type PersonGroup = keyof typeof asRepresentative

const personGroups = ['identity', 'occupation', 'card'] as const satisfies PersonGroup[]
/** The answer without which a group is not copied. */
const marks = { identity: 'surname', occupation: 'occupation', card: 'nicNumber' } as const satisfies Record<
  PersonGroup,
  FieldName
>

/**
 * Returns the person of an adult's application as the representative of a child: often a parent applies first. Nothing when the
 * representative has a name (REP17).
 * `today`: YYYY-MM-DD
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
  const isNamed = !isBlank(current.reprSurname) || !isBlank(current.reprGivenName)
  if (isNamed || isOfChild(earlier, today)) return { groups: [], answers: {} }
  const copied = personGroups.filter(group => !isBlank(earlier[marks[group]]))
  const pairs = copied.flatMap(group => Object.entries(asRepresentative[group]))
  return { groups: copied, answers: Object.fromEntries(pairs.map(([to, from]) => [to, earlier[from]])) }
}
