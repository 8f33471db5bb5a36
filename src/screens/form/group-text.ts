import { useQuery } from '@tanstack/react-query'
import type { FieldName, FormValues } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { answerText, type HomeNames, homePlaceOf } from '#summary/answer-text.ts'
import { summaryNames } from '#summary/summary-names.ts'

/** The answers of one field group as text, in the words of the summary. */
export function useGroupText(fields: readonly FieldName[], values: FormValues): string {
  const t = useText()
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const countries = useQuery(queries.countries(language)).data
  const occupations = useQuery(queries.professions(language)).data
  const home = useHomeNames(homePlaceOf(fields, values))
  const names = summaryNames(t, { language, countries, occupations })
  return answerText(fields, values, { names, home }) || t('choice.empty')
}

function useHomeNames(place: ReturnType<typeof homePlaceOf>): HomeNames | null {
  const { queries } = useLoadedServices()
  const language = useLanguage()
  const { region = '', department = '', locality } = place ?? {}
  const regions = useQuery({ ...queries.regions(language), enabled: place !== undefined }).data
  // A list is not loaded while an argument of its query is '' (`createListQuery`).
  const departments = useQuery(queries.departments(language, region)).data
  const localities = useQuery(queries.localities(language, region, department)).data
  if (!place) return null
  return {
    regionName: regions?.find(({ code }) => code === region)?.name ?? '',
    departmentName: departments?.find(({ code }) => code === department)?.name ?? '',
    localityName: localities?.find(({ id }) => id === locality)?.name ?? '',
  }
}
