import type { Call } from '#api/client.ts'
import { type Language, languages } from '#contract/codes.ts'

type Parts = {
  call: Call
  language: Language
  /** The phone asks to be sparing with data: the language that is not in use can wait (D35). */
  savesData: boolean
  /** Settles when nobody else is using the line. */
  whenIdle: () => Promise<void>
  /** The session that asks: once it has ended, nothing more is asked in its name. */
  signal: AbortSignal
}

/**
 * Asks once for every list of the home country, so that the worker has them when the line is gone (D35). It stops
 * at the first failure, and says whether it came to the end.
 */
export async function prefetchLists(parts: Parts): Promise<boolean> {
  const { language, savesData, whenIdle } = parts
  const call = callUntilAborted(parts)
  await whenIdle()
  const server = await call('version', {})
  if (!server.ok) return false
  const others = savesData ? [] : languages.filter(each => each !== language)
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

/** A server that has no call for all places at once is asked list by list. */
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

/** Nobody waits for these calls: they fail in silence, and at once when the session has ended. */
function callUntilAborted({ call, signal }: Parts): Call {
  return async (name, input) =>
    signal.aborted
      ? { ok: false, problem: { kind: 'offline' } }
      : call(name, input, { background: true, signal })
}
