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
