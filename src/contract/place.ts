import { homeCountry } from './codes.ts'
import { isBlank } from './fields.ts'
import type { Issue } from './issues.ts'

/**
 * The field names of a place: a country, with region → department → locality in Cameroon, or a free-text city in
 * another country (FRM15, FRM16). Used for birth, residence and the birth of the representative.
 */
export type PlaceFields<Name extends string> = {
  country: Name
  region: Name
  department: Name
  locality: Name
  city: Name
}

export function isHome(country: string): boolean {
  return country === homeCountry
}

/**
 * Returns the missing country, else the missing fields that the country requires (PER08–PER10, PER18–PER20, REP06, REP07).
 */
export function placeIssues<Name extends string>(
  values: Record<Name, string>,
  fields: PlaceFields<Name>,
): Issue<Name>[] {
  const country = values[fields.country]
  if (isBlank(country)) return [{ field: fields.country, code: 'required' }]
  const parts = isHome(country) ? [fields.region, fields.department, fields.locality] : [fields.city]
  return parts.filter(field => isBlank(values[field])).map(field => ({ field, code: 'required' as const }))
}

/** Returns the fields that the selected country hides; they are cleared, so they are never sent with a value (S72). */
export function hiddenPlaceFields<Name extends string>(country: string, fields: PlaceFields<Name>): Name[] {
  return isHome(country) ? [fields.city] : [fields.region, fields.department, fields.locality]
}

/** Returns the fields that a change of `changed` clears (S72). */
export function clearedBy<Name extends string>(changed: Name, fields: PlaceFields<Name>): Name[] {
  const order = [fields.country, fields.region, fields.department, fields.locality]
  const from = order.indexOf(changed)
  if (from < 0) return []
  return changed === fields.country ? [...order.slice(1), fields.city] : order.slice(from + 1)
}
