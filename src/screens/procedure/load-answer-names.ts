import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query'
import type { FieldName, FormValues } from '#contract/application.ts'
import type { Language } from '#contract/codes.ts'
import { fieldGroups } from '#contract/field-groups.ts'
import type { Translate } from '#i18n/intl.ts'
import type { LoadedServices } from '#app/services.ts'
import { type HomeNames, homePlaceOf } from '#summary/answer-text.ts'
import { summaryNames } from '#summary/summary-names.ts'
import type { AnswerNames } from './answers-as-text.ts'

type Form = { t: Translate; language: Language; values: FormValues }

/** Loads the names of the codes in a form; never rejects. If a list cannot be loaded, the text of an answer has the code. */
export async function loadAnswerNames(
  { queries, queryClient }: Pick<LoadedServices, 'queries' | 'queryClient'>,
  { t, language, values }: Form,
): Promise<AnswerNames> {
  function load<Value, Key extends QueryKey>(
    query: FetchQueryOptions<Value, Error, Value, Key>,
  ): Promise<Value | undefined> {
    return queryClient.fetchQuery(query).catch(() => undefined)
  }

  async function loadHome(fields: readonly FieldName[]): Promise<HomeNames | null> {
    const place = homePlaceOf(fields, values)
    if (!place) return null
    const { region, department, locality } = place
    const [regions, departments, localities] = await Promise.all([
      load(queries.regions(language)),
      region === '' ? undefined : load(queries.departments(language, region)),
      region === '' || department === '' ? undefined : load(queries.localities(language, region, department)),
    ])
    return {
      regionName: regions?.find(({ code }) => code === region)?.name ?? '',
      departmentName: departments?.find(({ code }) => code === department)?.name ?? '',
      localityName: localities?.find(({ id }) => id === locality)?.name ?? '',
    }
  }

  const [countries, occupations, homes] = await Promise.all([
    load(queries.countries(language)),
    load(queries.professions(language)),
    Promise.all(fieldGroups.map(async fields => [fields, await loadHome(fields)] as const)),
  ])
  const homeOfGroup = new Map(homes)
  return {
    names: summaryNames(t, { language, countries, occupations }),
    homeOf: fields => homeOfGroup.get(fields) ?? null,
  }
}
