import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Call } from '#api/client.ts'
import { createQueries, createQueryClient } from '#api/queries.ts'
import { createResponseCache } from '#app/response-cache.ts'
import { openDatabase } from '#store/database.ts'
import { createStoreOn } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { eventually } from '#support/eventually.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

let name: string

beforeEach(() => {
  name = crypto.randomUUID()
})

afterEach(() => openDatabase(name).delete())

type Answer = { data: object[]; time?: string }
/** A list without an application. `time`: that of the server. */
const emptyList = (time: string): Answer => ({ data: [], time })
const listOfOne = (time: string): Answer => ({
  data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE', appointment: null }],
  time,
})

/** A tab of a signed-in applicant, whose server answers `answers`, the first one first. */
async function openTab(...answers: (Answer | Promise<Answer> | 'no connection')[]) {
  const device = createFakeDevice()
  const session = { applicantId: () => 'ada', id: () => 'session', hasNewer: () => false }
  const store = createStoreOn(openDatabase(name), device, mergeScreenForm, session)
  await store.setKey({ applicantId: 'ada', draftKey: 'secret' }, 'device')
  const call = async () => {
    const answer = await answers.shift()
    if (answer === undefined || answer === 'no connection')
      return { ok: false, problem: { kind: 'offline' } } as const
    return { ok: true, value: answer } as const
  }
  const queries = createQueries(call as Call, {
    device,
    cache: createResponseCache(async () => store),
    hasNoToken: () => false,
    hasFeature: async () => undefined,
    signedInId: () => 'ada',
  })
  const client = createQueryClient()
  return { read: () => client.fetchQuery({ ...queries.applications('ada'), staleTime: 0 }) }
}

/** The list that a later tab shows without a connection. */
async function readOffline() {
  const tab = await openTab('no connection')
  return (await tab.read().catch(() => [])).map(({ id }) => id)
}

describe('the list of applications that this device caches for all tabs (S92)', () => {
  it('stays when another tab gets an older answer, to a request that it sent before this list was cached', async () => {
    const first = await openTab(emptyList('2026-06-15T08:00:00.000Z'))
    await first.read()
    const late = holdAnswer()
    const slow = await openTab(late.hold(emptyList('2026-06-15T09:00:00.000Z')))
    const reading = slow.read()
    await settle()
    const quick = await openTab(listOfOne('2026-06-15T09:00:01.000Z'))
    await quick.read()
    await eventually(async () => expect(await readOffline()).toEqual(['app-1']))
    late.release()
    await reading
    await settle()
    expect(await readOffline()).toEqual(['app-1'])
  })

  it('is replaced by the answer to a later request, also when the clock of the server was set back', async () => {
    const tab = await openTab(emptyList('2026-06-16T09:00:00.000Z'), listOfOne('2026-06-15T09:00:00.000Z'))
    await tab.read()
    await settle()
    await tab.read()
    await eventually(async () => expect(await readOffline()).toEqual(['app-1']))
  })

  it('is the last answer when the server says no time', async () => {
    const tab = await openTab({ data: [] }, { data: listOfOne('').data })
    await tab.read()
    await settle()
    await tab.read()
    await eventually(async () => expect(await readOffline()).toEqual(['app-1']))
  })
})
