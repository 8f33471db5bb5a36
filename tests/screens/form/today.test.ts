import { describe, expect, it } from 'vitest'
import { createCachedRequest } from '#api/cached-request.ts'
import type { ServerInfo } from '#contract/session.ts'
import { today } from '#screens/form/today.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** What the rules take for today on a device whose clock shows one time while the server named another. */
async function dayBetween(clock: string, named: string | undefined): Promise<string> {
  const device = createFakeDevice(Date.parse(clock))
  const serverInfo = createCachedRequest<ServerInfo>({
    now: () => device.monotonic(),
    freshForMs: 60_000,
    request: async () => ({ ok: true, value: { data: { version: '1', features: [], time: named } } }),
  })
  if (named !== undefined) await serverInfo.readFresh()
  return today({ device, serverInfo })
}

describe('S73 today', () => {
  it.each([
    ['is the device’s where the server named none', '2026-06-15T09:00:00Z', undefined, '2026-06-15'],
    ['goes on from what the server named', '2026-06-16T09:00:00Z', '2026-06-15T22:00:00Z', '2026-06-16'],
    [
      'is the server’s where the clock is years behind',
      '2012-01-01T00:00:00Z',
      '2026-06-15T09:00:00Z',
      '2026-06-15',
    ],
    [
      'is the server’s where the clock is years ahead',
      '2038-01-01T00:00:00Z',
      '2026-06-15T09:00:00Z',
      '2026-06-15',
    ],
    ['begins at midnight in Cameroon', '2026-06-15T23:30:00Z', undefined, '2026-06-16'],
  ])('%s', async (_, clock, named, day) => {
    expect(await dayBetween(clock, named)).toBe(day)
  })
})
