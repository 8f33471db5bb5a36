import type { Country, Division, Locality } from '#contract/dictionary.ts'
import { type Occupation, occupationName, sortOccupations } from '#contract/dictionary.ts'
import { homeCountry, type Language, noOccupation } from '#contract/codes.ts'
import type { Translate } from '#i18n/intl.ts'
import { type ListQuery, stateOfList } from '#summary/list-state.ts'
import type { SelectOption, SelectState } from '#ui/select-field.tsx'

export type OptionList = { options: SelectOption[]; state: SelectState }

/** Returns the options of a dictionary, or its loading or failed state (FRM06, FRM07). */
export function optionList<Item>(
  t: Translate,
  query: ListQuery & { data: Item[] | undefined },
  toOptions: (items: Item[]) => SelectOption[],
): OptionList {
  return { options: query.data ? toOptions(query.data) : [], state: stateOfList(t, query) }
}

/** Returns the list of a field that needs another answer first; `text` says which answer (FRM08, FRM09). */
export function waitingList(text: string): OptionList {
  return { options: [], state: { kind: 'waiting', text } }
}

/** Puts Cameroon first, because most applicants were born and live there, and sorts the other countries by name. */
export function countryOptions(language: Language): (countries: Country[]) => SelectOption[] {
  return countries => {
    const home = countries.filter(({ id }) => id === homeCountry)
    const others = byName(
      countries.filter(({ id }) => id !== homeCountry),
      language,
    )
    return [...home, ...others].map(({ id, name }) => ({ value: id, label: name }))
  }
}

export function divisionOptions(language: Language): (divisions: Division[]) => SelectOption[] {
  return divisions => byName(divisions, language).map(({ code, name }) => ({ value: code, label: name }))
}

/** The label includes the other names of the locality (`aka`). */
export function localityOptions(language: Language): (localities: Locality[]) => SelectOption[] {
  return localities =>
    byName(localities, language).map(({ id, name, aka }) => ({
      value: id,
      label: aka ? `${name} (${aka})` : name,
      aka,
    }))
}

export function occupationOptions(
  t: Translate,
  language: Language,
): (occupations: Occupation[]) => SelectOption[] {
  return occupations =>
    sortOccupations(occupations, language).map(occupation => ({
      value: occupation.id,
      label: occupation.id === noOccupation ? t('select.choose') : occupationName(occupation, language),
    }))
}

function byName<Item extends { name: string }>(items: readonly Item[], language: Language): Item[] {
  const { compare } = new Intl.Collator(language)
  return [...items].sort((one, other) => compare(one.name, other.name))
}
