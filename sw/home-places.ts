import { isRecord } from './is-record.ts'

/** The endpoint that returns all places of the home country at once. */
const homePlacesPath = '/api/v1/dictionary/home-places'
const dayMs = 24 * 60 * 60 * 1_000

export function isHomePlaces(url: URL): boolean {
  return url.pathname === homePlacesPath && [...url.searchParams.keys()].every(name => name === 'lg')
}

/** One list as the response of its own endpoint. */
export type SingleList = { address: string; items: unknown[] }

/**
 * Splits one response into the lists of regions, departments and localities, each with the URL of its own endpoint.
 * With these lists all place fields of the form work offline (D35). Returns [] for a body of another shape.
 */
export function splitHomePlaces(url: URL, body: unknown): SingleList[] {
  const regions = listOf(body, 'data', 'data')
  const addressOf = (name: string, query: Record<string, string>) => {
    const address = new URL(`/api/v1/dictionary/${name}`, url)
    address.search = new URLSearchParams({ ...query, lg: url.searchParams.get('lg') ?? 'fr' }).toString()
    address.searchParams.sort()
    return address.href
  }
  const lists = regions.flatMap(region => {
    const departments = listOf(region, 'departments')
    const localities = departments.map(department => ({
      address: addressOf('localities', { region: codeOf(region), department: codeOf(department) }),
      items: listOf(department, 'localities'),
    }))
    return [
      { address: addressOf('departments', { region: codeOf(region) }), items: departments.map(withoutParts) },
      ...localities,
    ]
  })
  return regions.length === 0
    ? []
    : [{ address: addressOf('regions', {}), items: regions.map(withoutParts) }, ...lists]
}

/** Whether a response is younger than a day by its Date header. A phone with a wrong clock requests more often. */
export function isFresh(response: Response, now: number): boolean {
  const ageMs = now - Date.parse(response.headers.get('date') ?? '')
  return ageMs >= 0 && ageMs < dayMs
}

/** Returns a region or department with its code and name only. */
function withoutParts(division: unknown): unknown {
  return isRecord(division) ? { code: division['code'], name: division['name'] } : division
}

function codeOf(division: unknown): string {
  return isRecord(division) ? String(division['code']) : ''
}

function listOf(value: unknown, ...path: string[]): unknown[] {
  const found = path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value)
  return Array.isArray(found) ? found : []
}
