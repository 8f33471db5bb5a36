import { afterEach, describe, expect, it, vi } from 'vitest'
import { createQueryClient, type Queries } from '#api/queries.ts'
import { ApplicationId, AppointmentId } from '#contract/ids.ts'
import { eventually } from '#support/eventually.ts'
import { settle } from '#support/settle.ts'
import { createQueriesOnPhone } from '#support/fixtures/queries-on-phone.ts'
import { holdAnswer, installFakeFetch } from '#support/providers/fake-fetch.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'NEW' }
const key = 'listApplications {"query":{"applicantId":"ada"}}'

/** A phone whose first request for the list waits, with the answer that the server has made before a change. */
async function openWithListUnderway() {
  const { queries, cache } = createQueriesOnPhone({ signedInId: () => 'ada' })
  const client = createQueryClient()
  const server = { data: [] as (typeof listed)[] }
  const first = holdAnswer()
  const requests = installFakeFetch(() => {
    const answer = { json: { data: server.data } }
    return requests.length === 1 ? first.hold(answer) : answer
  })
  const list = queries.applications('ada')
  const read = () => client.fetchQuery(list)
  const reading = read()
  await eventually(() => expect(first.isHeld()).toBe(true))
  const change = () => {
    server.data = [listed]
    void client.invalidateQueries({ queryKey: list.queryKey, refetchType: 'none' })
  }
  const cachedIds = () => {
    const { data } = JSON.parse(cache.get(key) ?? '{"data":[]}') as { data: { id: string }[] }
    return data.map(({ id }) => id)
  }
  return { client, list, first, reading, read, change, cachedIds, requests }
}

describe('a list that the server has answered before a change, and that comes after it (D129)', () => {
  it('is read again for everybody who waits for it, also for the guard of a page that asks after the change', async () => {
    const { first, reading, read, change } = await openWithListUnderway()
    change()
    const guard = read()
    first.release()
    expect(await reading).toMatchObject([listed])
    expect(await guard).toMatchObject([listed])
  })

  it('does not replace the newer list on the device (S92)', async () => {
    const { client, list, first, reading, change, cachedIds, requests } = await openWithListUnderway()
    client.setQueryData(list.queryKey, [])
    change()
    // An open list reads at once, and no longer waits for the older answer.
    await client.refetchQueries({ queryKey: list.queryKey }, { cancelRefetch: true })
    await eventually(() => expect(cachedIds()).toEqual(['app-1']))
    first.release()
    expect(await reading).toMatchObject([listed])
    // This read ends after the older answer has been handled.
    await client.refetchQueries({ queryKey: list.queryKey })
    expect(cachedIds()).toEqual(['app-1'])
    expect(requests).toHaveLength(3)
  })
})

it('a list is read once when nothing has changed since its request (D129)', async () => {
  const { first, reading, requests } = await openWithListUnderway()
  first.release()
  expect(await reading).toEqual([])
  expect(requests).toHaveLength(1)
})

const appId = ApplicationId.parse('app-1')
const paid = { id: 'pay-1', paymentStatus: 'SUCCESS', amount: 110_000, currency: 'XAF' }
const attempt = {
  id: 'pay-1',
  orderNumber: 'PP-1-001',
  methodType: 'CARD',
  method: '',
  createdAt: '2026-06-15T09:00:00Z',
  updatedAt: '2026-06-15T09:00:00Z',
  amount: 110_000,
  currency: 'XAF',
  operatorReference: '',
  state: 'IN_PROGRESS',
  history: [],
  next: 'waiting-for-approval',
  nextAt: null,
}

/** Each read: its query, and the data that the server answers before and after the change. */
const reads = [
  {
    name: 'an appointment after a booking',
    query: ({ appointment }: Queries) => appointment(AppointmentId.parse('apt-1'), 'fr'),
    before: { id: 'apt-1', appointmentDate: null },
    after: { id: 'apt-1', appointmentDate: '2026-12-01T09:30:00' },
  },
  {
    name: 'the attempts to pay after a payment',
    query: ({ paymentAttempts }: Queries) => paymentAttempts(appId),
    before: [],
    after: [attempt],
  },
  {
    name: 'the successful payment after a payment',
    query: ({ lastSuccessfulPayment }: Queries) => lastSuccessfulPayment(appId),
    before: [],
    after: [paid],
  },
  {
    name: 'a form after its confirmation',
    query: ({ applicationData }: Queries) => applicationData(appId),
    before: { version: 1 },
    after: { version: 2 },
  },
]

/** A phone whose first request for this answer waits, with the data from before a change. */
async function openWithReadUnderway({ query, before, after }: (typeof reads)[number]) {
  const { queries, cache } = createQueriesOnPhone({ signedInId: () => 'ada' })
  const client = createQueryClient()
  const first = holdAnswer()
  const requests = installFakeFetch(() =>
    requests.length === 1 ? first.hold({ json: { data: before } }) : { json: { data: after } },
  )
  // The test does not use the type of the answer.
  const options = query(queries) as ReturnType<Queries['applicationData']>
  const reading = client.fetchQuery(options)
  await eventually(() => expect(first.isHeld()).toBe(true))
  const cachedData = () => [...cache.values()].map(text => JSON.parse(text).data as unknown)
  return { client, options, first, reading, requests, cachedData }
}

describe('another answer that the server has made before a change, and that comes after it (D129)', () => {
  it.each(reads)('is read again when it is $name', async answers => {
    const { client, options, first, reading, requests, cachedData } = await openWithReadUnderway(answers)
    void client.invalidateQueries({ queryKey: options.queryKey })
    first.release()
    await reading
    expect(requests).toHaveLength(2)
    await eventually(() => expect(cachedData()).toMatchObject([answers.after]))
  })

  it.each(reads)('does not replace the newer one on the device when it is $name (S92)', async answers => {
    const { client, options, first, reading, cachedData } = await openWithReadUnderway(answers)
    // A page that shows an answer reads it again at once, and no longer waits for the older answer.
    client.setQueryData(options.queryKey, answers.before as never)
    void client.invalidateQueries({ queryKey: options.queryKey, refetchType: 'none' })
    await client.refetchQueries({ queryKey: options.queryKey }, { cancelRefetch: true })
    await eventually(() => expect(cachedData()).toMatchObject([answers.after]))
    first.release()
    await reading
    await settle()
    expect(cachedData()).toMatchObject([answers.after])
  })
})
