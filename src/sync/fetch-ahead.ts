import type { Call } from '#api/client.ts'
import { type Language, languages } from '#contract/codes.ts'

type Parts = {
  call: Call
  language: Language
  /** The phone asks to be sparing with data: the language that is not in use can wait (D35). */
  sparing: boolean
  /** Settles when nobody else is using the line. */
  idle: () => Promise<void>
}

/**
 * Asks once for every list of the home country, so that the worker has them when the line is gone (D35). It stops
 * at the first failure, and says whether it came to the end.
 */
export async function fetchAhead({ call, language, sparing, idle }: Parts): Promise<boolean> {
  await idle()
  const server = await call('version', {}, quiet)
  if (!server.ok) return false
  const others = sparing ? [] : languages.filter(each => each !== language)
  const whole = server.value.data.features.includes('homePlaces')
  for (const lg of [language, ...others]) {
    const query = { lg }
    for (const name of ['listCountries', 'listProfessions'] as const) {
      await idle()
      if (!(await call(name, { query }, quiet)).ok) return false
    }
    await idle()
    const done = whole
      ? (await call('listHomePlaces', { query }, quiet)).ok
      : await fetchPlaces({ call, idle }, lg)
    if (!done) return false
  }
  return true
}

/** A server that has no call for all places at once is asked list by list. */
async function fetchPlaces({ call, idle }: Pick<Parts, 'call' | 'idle'>, lg: Language): Promise<boolean> {
  const regions = await call('listRegions', { query: { lg } }, quiet)
  if (!regions.ok) return false
  for (const { code: region } of regions.value.data.data) {
    await idle()
    const departments = await call('listDepartments', { query: { lg, region } }, quiet)
    if (!departments.ok) return false
    for (const { code: department } of departments.value.data.data) {
      await idle()
      if (!(await call('listLocalities', { query: { lg, region, department } }, quiet)).ok) return false
    }
  }
  return true
}

const quiet = { background: true }
