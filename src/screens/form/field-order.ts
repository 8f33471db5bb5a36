import type { FieldName } from '#contract/application.ts'

/** The order on the screen differs from the list of fields: `fields` are shown directly below `after`. */
const displacedFields: readonly { after: FieldName; fields: readonly FieldName[] }[] = [
  { after: 'surname', fields: ['givenName'] },
  { after: 'placeOfBirth', fields: ['regionCode', 'departmentCode', 'localityId', 'city'] },
  { after: 'motherSurname', fields: ['motherGivenName'] },
  { after: 'fatherSurname', fields: ['fatherGivenName'] },
  { after: 'addReprData', fields: ['reprSurname', 'reprGivenName'] },
  {
    after: 'reprPlaceOfBirth',
    fields: ['reprRegionCode', 'reprDepartmentCode', 'reprLocalityId', 'reprCity'],
  },
  { after: 'reprNicDateOfExpiry', fields: ['reprNicPlaceOfIssuance'] },
  { after: 'nicDateOfExpiry', fields: ['nicPlaceOfIssuance'] },
]

/** Sorts fields from top to bottom of the screen. `fields`: all fields of one tab, or of all tabs in their order. */
export function inDisplayOrder(fields: readonly FieldName[]): FieldName[] {
  return displacedFields.reduce<FieldName[]>(
    (order, { after, fields: moved }) => {
      if (!order.includes(after)) return order
      const rest = order.filter(name => !moved.includes(name))
      return rest.flatMap(name => (name === after ? [name, ...moved] : [name]))
    },
    [...fields],
  )
}
