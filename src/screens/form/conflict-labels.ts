import { useQuery } from '@tanstack/react-query'
import { type FieldName, type FormValues, type TextFieldName, toWire } from '#contract/application.ts'
import { representativeBirthPlace } from '#contract/parent.ts'
import { birthPlace, residence } from '#contract/person.ts'
import { isHome, type PlaceFields } from '#contract/place.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { summaryNames } from '#summary/summary-names.ts'
import { summarySections } from '#summary/summary-sections.ts'

const places: readonly PlaceFields<TextFieldName>[] = [birthPlace, residence, representativeBirthPlace]

/** The answers of one field group as text, in the words of the summary. */
export function useConflictLabels(fields: readonly FieldName[], values: FormValues): string {
  const t = useText()
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const countries = useQuery(queries.countries(language)).data
  const occupations = useQuery(queries.professions(language)).data
  const home = useHomeNames(
    places.find(place => fields.some(field => field === place.country)),
    values,
  )
  const names = summaryNames(t, { language, countries, occupations })
  const rows = summarySections(
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
  ).flatMap(section => section.rows)
  const labels: readonly string[] = [...fields, ...(fields.some(isBirthDay) ? birthLabels(fields) : [])]
  const texts = rows.filter(({ label }) => labels.includes(label)).map(({ value }) => value)
  return texts.join(' – ') || plainLabels(fields, values) || t('choice.empty')
}

/** The names of a place in Cameroon; '' for a name whose dictionary is not loaded yet. */
function useHomeNames(place: PlaceFields<TextFieldName> | undefined, values: FormValues) {
  const { queries } = useLoadedServices()
  const language = useLanguage()
  const atHome = place !== undefined && isHome(values[place.country])
  const region = atHome ? values[place.region] : ''
  const department = atHome ? values[place.department] : ''
  const regions = useQuery({ ...queries.regions(language), enabled: atHome }).data
  const departments = useQuery(queries.departments(language, region)).data
  const localities = useQuery(queries.localities(language, region, department)).data
  if (!atHome) return null
  return {
    regionName: regions?.find(({ code }) => code === region)?.name ?? '',
    departmentName: departments?.find(({ code }) => code === department)?.name ?? '',
    localityName: localities?.find(({ id }) => id === values[place.locality])?.name ?? '',
  }
}

function isBirthDay(field: FieldName): boolean {
  return field === 'dayOfBirth' || field === 'reprDayOfBirth'
}

function birthLabels(fields: readonly FieldName[]): string[] {
  return fields.includes('dayOfBirth') ? ['dateOfBirth'] : ['reprDateOfBirth']
}

/** Shows the typed values. For answers that the summary omits, such as a card's date without its number. */
function plainLabels(fields: readonly FieldName[], values: FormValues): string {
  return fields
    .map(field => values[field])
    .filter(value => typeof value === 'string' && value !== '')
    .join(' – ')
}
