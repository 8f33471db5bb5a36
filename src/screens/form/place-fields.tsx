import { useLanguage } from '#i18n/use-language.ts'
import { useQuery } from '@tanstack/react-query'
import type { TextFieldName } from '#contract/application.ts'
import { clearedBy, isHome, type PlaceFields as Fields } from '#contract/place.ts'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { CountryInput } from './country-input.tsx'
import { clearFields, useAnswer, useApplicationForm } from './form-hooks.ts'
import { divisionOptions, localityOptions, optionList, waitingList } from './option-list.ts'
import { PlaceSearch } from './place-search.tsx'
import { SelectInput } from './select-input.tsx'
import { TextInput } from './text-input.tsx'

type PlaceProps = { fields: Fields<TextFieldName> }

/**
 * A country, then region, department and locality in Cameroon, or a city in another country (FRM15, FRM16). A changed
 * answer empties the answers that depend on it (S72).
 */
export function PlaceFields({ fields }: PlaceProps) {
  const form = useApplicationForm()
  const country = useAnswer(fields.country)
  return (
    <>
      <CountryInput
        name={fields.country}
        onAnswer={() => clearFields(form, clearedBy(fields.country, fields))}
      />
      {isHome(country) && <HomePlace fields={fields} />}
      {country !== '' && !isHome(country) && <TextInput name={fields.city} />}
    </>
  )
}

function HomePlace({ fields }: PlaceProps) {
  const form = useApplicationForm()
  const clear = (changed: TextFieldName) => () => clearFields(form, clearedBy(changed, fields))
  return (
    <>
      <PlaceSearch fields={fields} />
      <SelectInput name={fields.region} {...useRegions()} onAnswer={clear(fields.region)} />
      <SelectInput name={fields.department} {...useDepartments(fields)} onAnswer={clear(fields.department)} />
      <SelectInput name={fields.locality} {...useLocalities(fields)} />
    </>
  )
}

function useRegions() {
  const { queries } = useLoadedServices()
  const t = useText()
  const language = useLanguage()
  return optionList(t, useQuery(queries.regions(language)), divisionOptions(language))
}

function useDepartments({ region }: Fields<TextFieldName>) {
  const { queries } = useLoadedServices()
  const t = useText()
  const language = useLanguage()
  const chosen = useAnswer(region)
  const departments = useQuery(queries.departments(language, chosen))
  if (chosen === '') return waitingList(t('select.firstSelectRegion'))
  return optionList(t, departments, divisionOptions(language))
}

function useLocalities({ region, department }: Fields<TextFieldName>) {
  const { queries } = useLoadedServices()
  const t = useText()
  const language = useLanguage()
  const chosen = useAnswer(department)
  const localities = useQuery(queries.localities(language, useAnswer(region), chosen))
  if (chosen === '') return waitingList(t('select.firstSelectDepartment'))
  return optionList(t, localities, localityOptions(language))
}
