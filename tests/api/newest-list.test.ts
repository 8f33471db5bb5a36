import { afterEach, describe, expect, it, vi } from 'vitest'
import { createQueryClient } from '#api/queries.ts'
import { eventually } from '#support/eventually.ts'
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
  it('is read again for everybody who waits for it, also for a guard that asks after the change', async () => {
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
    // The next read begins after the older answer has been handled.
    await client.refetchQueries({ queryKey: list.queryKey })
    expect(cachedIds()).toEqual(['app-1'])
    expect(requests).toHaveLength(3)
  })

  it('is read once when nothing has changed since its request', async () => {
    const { first, reading, requests } = await openWithListUnderway()
    first.release()
    expect(await reading).toEqual([])
    expect(requests).toHaveLength(1)
  })
})
