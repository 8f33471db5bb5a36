import type { Call } from '#api/client.ts'
import { type Language, languages } from '#contract/codes.ts'

type Parts = {
  call: Call
  language: Language
  /** With the data saver of the phone, only the lists of the current language are requested (D35). */
  isDataSaverOn: boolean
  /** Resolves when no query is running. */
  whenIdle: () => Promise<void>
  /** Aborts when the session ends. */
  signal: AbortSignal
}

/**
 * Requests the countries, the professions and the places of the home country once, so that the service worker has them
 * offline (D35). Stops at the first failure; returns whether all were loaded.
 */
export async function prefetchLists(parts: Parts): Promise<boolean> {
  const { language, isDataSaverOn, whenIdle } = parts
  const call = callUntilAborted(parts)
  await whenIdle()
  const server = await call('version', {})
  if (!server.ok) return false
  const others = isDataSaverOn ? [] : languages.filter(each => each !== language)
  const hasPlaceList = server.value.data.features.includes('homePlaces')
  for (const lg of [language, ...others]) {
    const query = { lg }
    for (const name of ['listCountries', 'listProfessions'] as const) {
      await whenIdle()
      if (!(await call(name, { query })).ok) return false
    }
    await whenIdle()
    const done = hasPlaceList
      ? (await call('listHomePlaces', { query })).ok
      : await prefetchPlaces({ call, whenIdle }, lg)
    if (!done) return false
  }
  return true
}

/** For a server without the `homePlaces` feature: requests each list of places separately. */
async function prefetchPlaces(
  { call, whenIdle }: { call: Call; whenIdle: Parts['whenIdle'] },
  lg: Language,
): Promise<boolean> {
  const regions = await call('listRegions', { query: { lg } })
  if (!regions.ok) return false
  for (const { code: region } of regions.value.data.data) {
    await whenIdle()
    const departments = await call('listDepartments', { query: { lg, region } })
    if (!departments.ok) return false
    for (const { code: department } of departments.value.data.data) {
      await whenIdle()
      if (!(await call('listLocalities', { query: { lg, region, department } })).ok) return false
    }
  }
  return true
}

/** These calls run in the background: the screen shows no failure. After the abort they fail without a request. */
function callUntilAborted({ call, signal }: Parts): Call {
  return async (name, input) =>
    signal.aborted
      ? { ok: false, problem: { kind: 'offline' } }
      : call(name, input, { background: true, signal })
}
