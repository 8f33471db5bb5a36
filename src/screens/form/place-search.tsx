import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ProblemError } from '#api/result.ts'
import type { TextFieldName } from '#contract/application.ts'
import type { HomeRegion } from '#contract/dictionary.ts'
import type { PlaceFields } from '#contract/place.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { ListSearch, OpenSearchButton } from '#ui/list-search.tsx'
import { fillPlace, useApplicationForm } from './form-hooks.ts'
import styles from './space-below.module.css'

/**
 * `open`: shown from the start. `folded`: a button stands in place of the search, because the place is filled in.
 * `reopened`: the applicant has pressed this button; then only a choice folds the search.
 */
type SearchState = 'open' | 'folded' | 'reopened'

/**
 * Finds a place in Cameroon by its name, and fills in its region, department and locality. With a server without the
 * list of all places, an addition to the API (D35), there is no search. The search folds when it has filled in the
 * place, or, if it is `open`, when another component such as `SameAsBirthplace` has. It does not fold while the
 * applicant answers the lists below it, because they would move.
 */
export function PlaceSearch({ fields }: { fields: PlaceFields<TextFieldName> }) {
  const t = useText()
  const form = useApplicationForm()
  const found = useHomePlaces()
  const [state, setState] = useState<SearchState>(() =>
    form.getValues(fields.locality) === '' ? 'open' : 'folded',
  )
  useEffect(
    () =>
      form.subscribe({
        name: fields.locality,
        formState: { values: true },
        callback({ values }) {
          const isAnsweredInList = document.activeElement?.id === fields.locality
          if (values[fields.locality] === '' || isAnsweredInList) return
          setState(before => (before === 'open' ? 'folded' : before))
        },
      }),
    [form, fields.locality],
  )
  if (!found) return null

  function choose(value: string | undefined) {
    const place = found?.find(each => each.value === value)
    if (!place) return
    // All values, because `fillPlace` writes the country and the city too.
    fillPlace(form, fields, { ...form.getValues(), ...toAnswers(fields, place) })
    setState('folded')
    // Moves the focus to the list of localities, which now has the answer; the search is replaced by its button.
    document.getElementById(fields.locality)?.focus()
  }

  const label = t('place.search')
  if (state === 'folded')
    return (
      <div className={styles.spaceBelow}>
        <OpenSearchButton label={label} onOpen={() => setState('reopened')} />
      </div>
    )
  return (
    <ListSearch
      isSeparateField
      isFocused={state === 'reopened'}
      options={found}
      texts={{
        label,
        hint: t('place.searchHint'),
        found: count => t('select.found', { count }),
      }}
      onDone={choose}
    />
  )
}

type FoundPlace = { region: string; department: string; locality: string }

function toAnswers(fields: PlaceFields<TextFieldName>, { region, department, locality }: FoundPlace) {
  return { [fields.region]: region, [fields.department]: department, [fields.locality]: locality }
}

/** All places as options; undefined while they are not loaded. Places may share a name: each names its department. */
function useHomePlaces() {
  const { call } = useServices()
  const language = useLanguage()
  const server = useServerInfo()
  const { data } = useQuery({
    queryKey: ['home-places', language],
    queryFn: async () => {
      // In the background: the failure of an optional search shows no notice.
      const answer = await call('listHomePlaces', { query: { lg: language } }, { background: true })
      if (!answer.ok) throw new ProblemError(answer.problem)
      return toOptions(answer.value.data.data)
    },
    // Without a connection the service worker may have the list although the server has not answered.
    enabled: server.value?.features.includes('homePlaces') ?? server.state === 'failed',
    // A later search in this language loads the list only after a failure, or when it is no longer in memory.
    staleTime: Infinity,
    retry: false,
  })
  return data
}

function toOptions(regions: readonly HomeRegion[]) {
  return regions.flatMap(region =>
    region.departments.flatMap(department =>
      department.localities.map(({ id, name, aka }) => ({
        value: id,
        label: `${aka ? `${name} (${aka})` : name}, ${department.name}, ${region.name}`,
        region: region.code,
        department: department.code,
        locality: id,
      })),
    ),
  )
}
