import { describe, expect, it } from 'vitest'
import { createCachedRequest } from '#api/cached-request.ts'
import type { ServerInfo } from '#contract/session.ts'
import { today } from '#screens/form/today.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** The result of `today` for a device clock and the last time that the server sent. */
async function todayWith(clock: string, serverTime: string | undefined): Promise<string> {
  const device = createFakeDevice(Date.parse(clock))
  const serverInfo = createCachedRequest<ServerInfo>({
    now: () => device.monotonic(),
    freshForMs: 60_000,
    request: async () => ({ ok: true, value: { data: { version: '1', features: [], time: serverTime } } }),
  })
  if (serverTime !== undefined) await serverInfo.readFresh()
  return today({ device, serverInfo })
}

describe('today (S73)', () => {
  it.each([
    [
      'returns the day of the device clock when the server sent no time',
      '2026-06-15T09:00:00Z',
      undefined,
      '2026-06-15',
    ],
    [
      'returns the day of the device clock when it is up to 48 hours ahead of the server time',
      '2026-06-16T09:00:00Z',
      '2026-06-15T22:00:00Z',
      '2026-06-16',
    ],
    [
      'returns the day of the server when the device clock is years behind',
      '2012-01-01T00:00:00Z',
      '2026-06-15T09:00:00Z',
      '2026-06-15',
    ],
    [
      'returns the day of the server when the device clock is years ahead',
      '2038-01-01T00:00:00Z',
      '2026-06-15T09:00:00Z',
      '2026-06-15',
    ],
    ['changes the day at midnight in Cameroon', '2026-06-15T23:30:00Z', undefined, '2026-06-16'],
  ])('%s', async (_, clock, serverTime, day) => {
    expect(await todayWith(clock, serverTime)).toBe(day)
  })
})
