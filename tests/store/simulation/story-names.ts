export type TabName = 'A1' | 'A2' | 'A3' | 'B1'
/** Phone A has three tabs, so it acts more often than phone B. */
export const tabNames = ['A1', 'A1', 'A2', 'A2', 'A3', 'B1', 'B1', 'B1'] as const satisfies readonly TabName[]

export const typedFields = [
  'surname',
  'givenName',
  'motherSurname',
  'travelDestination',
  'resAddressStreet',
] as const
export type TypedField = (typeof typedFields)[number]

/**
 * The fields of three groups that the stories with a seed of at least `firstGroupSeed` type one by one: a date, a place and a
 * phone number.
 */
export const groupFields = [
  ['dayOfBirth', 'monthOfBirth', 'yearOfBirth'],
  [
    'resAddressCountry',
    // In another country the form shows the town alone, so few steps choose a country: the next three names come twice.
    'resAddressRegionCode',
    'resAddressRegionCode',
    'resAddressDepartmentCode',
    'resAddressDepartmentCode',
    'resAddressLocalityId',
    'resAddressLocalityId',
    'resAddressCity',
  ],
  ['dialCode', 'phoneNumber'],
] as const
export type GroupField = (typeof groupFields)[number][number]

/** The fields whose answers a page may report as saved. */
export const answerFields = [
  ...typedFields,
  'dayOfBirth',
  'monthOfBirth',
  'yearOfBirth',
  'dialCode',
  'phoneNumber',
  'resAddressCountry',
  'resAddressRegionCode',
  'resAddressDepartmentCode',
  'resAddressLocalityId',
  'resAddressCity',
] as const satisfies readonly (TypedField | GroupField)[]
export type AnswerField = (typeof answerFields)[number]
