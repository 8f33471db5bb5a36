import { type FieldName, type FormValues, type TextFieldName, toWire } from '#contract/application.ts'
import { representativeBirthPlace } from '#contract/parent.ts'
import { birthPlace, residence } from '#contract/person.ts'
import { isHome, type PlaceFields } from '#contract/place.ts'
import type { MessageKey } from '#i18n/intl.ts'
import { allAnswerRows, type SummaryNames } from './summary-sections.ts'

/** The names of a place in Cameroon; '' for a name whose dictionary is not loaded. */
export type HomeNames = { regionName: string; departmentName: string; localityName: string }

const places: readonly PlaceFields<TextFieldName>[] = [birthPlace, residence, representativeBirthPlace]

/** The codes of the place in Cameroon that a field group asks for; undefined for another group or another country. */
export function homePlaceOf(
  fields: readonly FieldName[],
  values: FormValues,
): { region: string; department: string; locality: string } | undefined {
  const place = places.find(each => fields.some(field => field === each.country))
  if (!place || !isHome(values[place.country])) return undefined
  return {
    region: values[place.region],
    department: values[place.department],
    locality: values[place.locality],
  }
}

/** Returns the answers of one field group in the words of the summary; '' when the applicant gave none. */
export function answerText(
  fields: readonly FieldName[],
  values: FormValues,
  { names, home }: { names: SummaryNames; home: HomeNames | null },
): string {
  const rows = allAnswerRows(
    {
      ...toWire(values),
      additionalData: '',
      draft: true,
      addressCameroonForWeb: home,
      resAddressCameroonForWeb: home,
      reprAddressCameroonForWeb: home,
      changeAppointmentAccess: false,
      appointmentChangeCount: 0,
    },
    names,
  )
  const labels: readonly string[] = [
    ...fields,
    ...(fields.some(isBirthDay) ? birthLabels(fields) : []),
    ...(fields.includes('addReprData') ? ['representative'] : []),
  ]
  const texts = rows.filter(({ label }) => labels.includes(label)).map(({ value }) => value)
  return texts.join(' – ') || plainText(fields, values)
}

/** Returns the label of a field group: that of its first field, with the exceptions below. */
export function answerLabel(fields: readonly FieldName[]): MessageKey {
  const [field = 'surname'] = fields
  if (field === 'dayOfBirth') return 'field.dateOfBirth'
  if (field === 'reprDayOfBirth') return 'field.reprDateOfBirth'
  if (field === 'addReprData') return 'field.representative'
  return `field.${field === 'dialCode' ? 'phoneNumber' : field}`
}

function isBirthDay(field: FieldName): boolean {
  return field === 'dayOfBirth' || field === 'reprDayOfBirth'
}

function birthLabels(fields: readonly FieldName[]): string[] {
  return fields.includes('dayOfBirth') ? ['dateOfBirth'] : ['reprDateOfBirth']
}

/**
 * Returns the values as the form has them, also codes. For answers that make no row of the summary, such as a region
 * without a country. A dial code without a number is no answer: the form has one from the start.
 */
function plainText(fields: readonly FieldName[], values: FormValues): string {
  return fields
    .map(field => field !== 'dialCode' && values[field])
    .filter(value => typeof value === 'string' && value !== '')
    .join(' – ')
}
