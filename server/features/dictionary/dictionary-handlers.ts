import type { Language } from '#contract/codes.ts'
import { occupationName, sortOccupations } from '#contract/dictionary.ts'
import type { Handlers } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { countries } from '#server/seed/countries.ts'
import { departments, localities, regions } from '#server/seed/divisions.ts'
import type { DepartmentRow, LocalityRow, RegionRow } from '#server/seed/divisions.ts'
import { occupations } from '#server/seed/occupations.ts'

/** A place in the home country by its dictionary codes; '' for a part that the applicant has not chosen. */
export type HomePlace = { regionCode: string; departmentCode: string; localityId: string }
export type PlaceNames = { regionName: string; departmentName: string; localityName: string }

type NamedRow = { nameFr: string; nameEn?: string }

const collators = { fr: new Intl.Collator('fr'), en: new Intl.Collator('en') }
const countryOfId = new Map(countries.map(country => [String(country.id), country]))
const occupationOfId = new Map(occupations.map(occupation => [occupation.id, occupation]))
const regionOfCode = new Map(regions.map(region => [region.code, region]))
const departmentOfCode = new Map(departments.map(department => [department.code, department]))
const localityOfId = new Map(localities.map(locality => [String(locality.id), locality]))

type DictionaryHandlers = Pick<
  Handlers,
  | 'listCountries'
  | 'listProfessions'
  | 'listRegions'
  | 'listDepartments'
  | 'listLocalities'
  | 'listHomePlaces'
>

/**
 * The handlers of API14–API18, and of the list of all home places in one answer (D35). The lists never change while the
 * server runs, so they are in memory.
 */
export function dictionaryHandlers(_services: Services): DictionaryHandlers {
  return {
    listCountries: async ({ language }) => toListAnswer(countriesOf(language)),
    listProfessions: async ({ language }) => toListAnswer(sortOccupations(occupations, language)),
    listRegions: async ({ language }) => toListAnswer(regionsOf(language)),
    listDepartments: async ({ language, query }) => toListAnswer(departmentsOf(query.region, language)),
    listLocalities: async ({ language, query }) => toListAnswer(localitiesOf(query, language)),
    listHomePlaces: async ({ language }) => toListAnswer(homePlacesOf(language)),
  }
}

/** Returns the names of a place in the home country; null when the place has an invalid part (`findInvalidPart`). */
export function placeNames(place: HomePlace, language: Language): PlaceNames | null {
  const found = findPlace(place)
  if (!found.region || !found.department || !found.locality) return null
  return {
    regionName: nameOf(found.region, language),
    departmentName: nameOf(found.department, language),
    localityName: nameOf(found.locality, language),
  }
}

/**
 * Returns the first part of a place that is in no dictionary or does not belong to the part above it; undefined when the
 * place is complete and valid.
 */
export function findInvalidPart(place: HomePlace): keyof HomePlace | undefined {
  const found = findPlace(place)
  if (!found.region) return 'regionCode'
  if (!found.department) return 'departmentCode'
  return found.locality ? undefined : 'localityId'
}

/** Returns the name of a country; undefined when no country has this id. */
export function countryName(id: string | number, language: Language): string | undefined {
  const country = countryOfId.get(String(id))
  return country && nameOf(country, language)
}

/** Returns the label of an occupation: '' for the blank entry (DIC04), undefined when no occupation has this id. */
export function occupationLabel(id: string, language: Language): string | undefined {
  const occupation = occupationOfId.get(id)
  return occupation && occupationName(occupation, language)
}

/** Returns the countries, sorted by name; the home country has no special position. */
function countriesOf(language: Language): { id: number; name: string }[] {
  return sortByName(
    countries.map(row => ({ id: row.id, name: nameOf(row, language) })),
    language,
  )
}

/** Returns the regions: in French in the order of DIC06, which is alphabetical; in English sorted by name. */
function regionsOf(language: Language): { code: string; name: string }[] {
  const rows = regions.map(row => ({ code: row.code, name: nameOf(row, language) }))
  return language === 'fr' ? rows : sortByName(rows, language)
}

function departmentsOf(regionCode: string, language: Language): { code: string; name: string }[] {
  const rows = departments
    .filter(({ region }) => region === regionCode)
    .map(row => ({ code: row.code, name: nameOf(row, language) }))
  return sortByName(rows, language)
}

type LocalityItem = { id: number; name: string; aka?: string }

function localitiesOf(within: { region: string; department: string }, language: Language): LocalityItem[] {
  if (departmentOfCode.get(within.department)?.region !== within.region) return []
  const rows = localities
    .filter(({ department }) => department === within.department)
    .map(row => localityItem(row, language))
  return sortByName(rows, language)
}

function homePlacesOf(language: Language) {
  return regionsOf(language).map(region => ({
    ...region,
    departments: departmentsOf(region.code, language).map(department => ({
      ...department,
      localities: localitiesOf({ region: region.code, department: department.code }, language),
    })),
  }))
}

function toListAnswer<Item>(items: Item[]): { data: { data: Item[] } } {
  return { data: { data: items } }
}

function findPlace(place: HomePlace): {
  region: RegionRow | undefined
  department: DepartmentRow | undefined
  locality: LocalityRow | undefined
} {
  const region = regionOfCode.get(place.regionCode)
  const department = departmentOfCode.get(place.departmentCode)
  const locality = localityOfId.get(place.localityId)
  return {
    region,
    department: department?.region === region?.code ? department : undefined,
    locality: locality?.department === department?.code ? locality : undefined,
  }
}

function nameOf(row: NamedRow, language: Language): string {
  return language === 'fr' ? row.nameFr : (row.nameEn ?? row.nameFr)
}

function localityItem(row: LocalityRow, language: Language): LocalityItem {
  const item = { id: row.id, name: nameOf(row, language) }
  return row.aka === undefined ? item : { ...item, aka: row.aka }
}

function sortByName<Item extends { name: string }>(items: Item[], language: Language): Item[] {
  return items.toSorted((one, other) => collators[language].compare(one.name, other.name))
}
