import { useQuery } from '@tanstack/react-query'
import { useIntl } from 'react-intl'
import { type FieldName, type FormValues, type TextFieldName, toWire } from '#contract/application.ts'
import { representativeBirthPlace } from '#contract/parent.ts'
import { birthPlace, residence } from '#contract/person.ts'
import { isHome, type PlaceFields } from '#contract/place.ts'
import { useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { useServices } from '#app/services.ts'
import { summaryNames } from '#summary/summary-names.ts'
import { summarySections } from '#summary/summary-sections.ts'

const places: readonly PlaceFields<TextFieldName>[] = [birthPlace, residence, representativeBirthPlace]

/** The answers of fields that belong together, as people read them. */
export function useConflictLabels(fields: readonly FieldName[], values: FormValues): string {
  const t = useText()
  const language = toLanguage(useIntl().locale)
  const { queries } = useServices()
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
  const words = rows.filter(({ label }) => labels.includes(label)).map(({ value }) => value)
  return words.join(' – ') || plainLabels(fields, values) || t('choice.empty')
}

/** A place at home by its names, as far as the dictionaries are at hand. */
function useHomeNames(place: PlaceFields<TextFieldName> | undefined, values: FormValues) {
  const { queries } = useServices()
  const language = toLanguage(useIntl().locale)
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

/** What a summary would leave out, such as a date without a card's number, is shown as it was typed. */
function plainLabels(fields: readonly FieldName[], values: FormValues): string {
  return fields
    .map(field => values[field])
    .filter(value => typeof value === 'string' && value !== '')
    .join(' – ')
}
