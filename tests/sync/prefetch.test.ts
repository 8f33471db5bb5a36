import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAnswerMarks } from '#api/answer-marks.ts'
import { createCall } from '#api/client.ts'
import { prefetchLists } from '#sync/prefetch.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

let done: boolean

async function run({ features = ['homePlaces'], isDataSaverOn = false, broken = '', endsAfter = '' } = {}) {
  const session = new AbortController()
  const requests = installFakeFetch(({ url }) => {
    const path = url.split('?')[0]?.replace('/api/v1', '') ?? ''
    if (endsAfter !== '' && path.startsWith(endsAfter)) session.abort()
    if (broken !== '' && path.startsWith(broken)) return 'no connection'
    if (path === '/version') return { json: { data: { version: '1', features } } }
    return { json: { data: { data: listAt(path) } } }
  })
  const call = createCall({
    device: createFakeDevice(),
    origin: '',
    token: () => 'token',
    refreshSession: async () => false,
    watchSessionEnd: () => () => false,
    onProblem: (_problem, { background }) => {
      if (!background) throw new Error('a prefetch must not report a problem')
    },
    onReached: () => undefined,
    answerMarks: createAnswerMarks(createFakeDevice()),
  })
  const { signal } = session
  done = await prefetchLists({ call, language: 'en', isDataSaverOn, whenIdle: async () => undefined, signal })
  return requests.map(({ url }) => url.replace('/api/v1', ''))
}

function listAt(path: string): object[] {
  if (path.endsWith('regions')) return [{ code: 'WEST', name: 'West' }]
  if (path.endsWith('departments')) return [{ code: 'MIFI', name: 'Mifi' }]
  return []
}

const inEnglish = [
  '/applications/countries?lg=en',
  '/dictionary/professions?lg=en',
  '/dictionary/home-places?lg=en',
]
const inFrench = inEnglish.map(address => address.replace('en', 'fr'))

describe('D35 prefetchLists', () => {
  it('requests countries, professions and home places, one call each for each language, the current language first', async () => {
    expect(await run()).toEqual(['/version', ...inEnglish, ...inFrench])
    expect(done).toBe(true)
  })

  it('requests only the current language while the data saver is on', async () => {
    expect(await run({ isDataSaverOn: true })).toEqual(['/version', ...inEnglish])
  })

  it('requests each list of places when the server cannot send all of them at once', async () => {
    expect(await run({ features: [], isDataSaverOn: true })).toEqual([
      '/version',
      ...inEnglish.slice(0, 2),
      '/dictionary/regions?lg=en',
      '/dictionary/departments?lg=en&region=WEST',
      '/dictionary/localities?lg=en&region=WEST&department=MIFI',
    ])
  })

  it('stops at the first failure', async () => {
    expect(await run({ broken: '/dictionary/professions' })).toEqual(['/version', ...inEnglish.slice(0, 2)])
    expect(done).toBe(false)
  })

  it('sends no request after the session has ended', async () => {
    expect(await run({ endsAfter: '/applications/countries' })).toEqual([
      '/version',
      ...inEnglish.slice(0, 1),
    ])
    expect(done).toBe(false)
  })
})
