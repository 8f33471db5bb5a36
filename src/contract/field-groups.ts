import { type FieldName, fieldNames, type FormValues, normaliseForm } from './application.ts'
import { representativeBirthDate, representativeBirthPlace } from './parent.ts'
import { birthDate, birthPlace, residence } from './person.ts'

/** Fields that must be merged together: half of one place with half of another is not a valid place. */
const multiFieldGroups: readonly (readonly FieldName[])[] = [
  [...Object.values(birthDate), 'dateOfBirthUnknown'],
  Object.values(birthPlace),
  ['dialCode', 'phoneNumber'],
  ['occupation', 'otherOccupation'],
  Object.values(residence),
  [...Object.values(representativeBirthDate), 'reprDateOfBirthUnknown'],
  Object.values(representativeBirthPlace),
  ['reprOccupation', 'reprOtherOccupation'],
]

/** Contains every field once, alone or in its group. The groups are in the order of `fieldNames`, not of the screen. */
export const fieldGroups: readonly (readonly FieldName[])[] = fieldNames.flatMap(field => {
  const group = multiFieldGroups.find(each => each.includes(field))
  if (!group) return [[field]]
  return fieldNames.find(first => group.includes(first)) === field ? [group] : []
})

/** Returns `into` with these fields copied from `from`. */
export function copyFields(fields: readonly FieldName[], from: FormValues, into: FormValues): FormValues {
  return { ...into, ...Object.fromEntries(fields.map(field => [field, from[field]])) }
}

/** Whether both forms have the same answers in these fields, character for character. */
export function haveSameAnswers(
  one: FormValues,
  other: FormValues,
  fields: readonly FieldName[] = fieldNames,
): boolean {
  return fields.every(field => one[field] === other[field])
}

/** Returns the groups whose answers differ, after both forms are normalised as for sending. */
export function differingGroups(one: FormValues, other: FormValues): (readonly FieldName[])[] {
  const [first, second] = [normaliseForm(one), normaliseForm(other)]
  return fieldGroups.filter(fields => !haveSameAnswers(first, second, fields))
}
