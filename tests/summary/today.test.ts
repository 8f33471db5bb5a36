import { describe, expect, it } from 'vitest'
import { createCachedRequest } from '#api/cached-request.ts'
import type { ReceivedInfo } from '#app/services.ts'
import { today } from '#summary/today.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** A device whose clock shows `clock`, and an answer of the server that has just come, with `serverTime`. */
async function clocksOf(clock: string, serverTime: string | undefined) {
  const device = createFakeDevice(Date.parse(clock))
  const serverInfo = createCachedRequest<ReceivedInfo>({
    now: () => device.monotonic(),
    freshForMs: 60_000,
    request: async () => {
      const received = { wallMs: device.now(), monotonicMs: device.monotonic() }
      return { ok: true, value: { data: { version: '1', features: [], time: serverTime, received } } }
    },
  })
  await serverInfo.readFresh()
  return { device, serverInfo }
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
      'returns the day of the server when the device clock is a day ahead',
      '2026-06-16T09:00:00Z',
      '2026-06-15T09:00:00Z',
      '2026-06-15',
    ],
    [
      'returns the day of the server when the device clock is a day behind',
      '2026-06-14T09:00:00Z',
      '2026-06-15T09:00:00Z',
      '2026-06-15',
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
    ['returns the day in Cameroon, not the day in UTC', '2026-06-15T23:30:00Z', undefined, '2026-06-16'],
  ])('%s', async (_, clock, serverTime, day) => {
    expect(today(await clocksOf(clock, serverTime))).toBe(day)
  })

  it.each([
    ['a few minutes behind', '2026-06-15T22:45:00Z'],
    ['a day ahead', '2026-06-16T22:50:00Z'],
    ['years behind', '2012-01-01T00:00:00Z'],
    ['years ahead', '2038-01-01T00:00:00Z'],
  ])('changes at midnight also on an open page whose device clock is %s', async (_, clock) => {
    const clocks = await clocksOf(clock, '2026-06-15T22:50:00Z')
    expect(today(clocks)).toBe('2026-06-15')
    await clocks.device.advance(9 * 60_000)
    expect(today(clocks)).toBe('2026-06-15')
    await clocks.device.advance(2 * 60_000)
    expect(today(clocks)).toBe('2026-06-16')
  })

  it.each([
    ['right', '2026-06-15T22:50:00Z'],
    ['a day ahead', '2026-06-16T22:50:00Z'],
    ['a day behind', '2026-06-14T22:50:00Z'],
  ])(
    'counts a sleep in which the monotonic clock stood still when the device clock is %s',
    async (_, clock) => {
      const clocks = await clocksOf(clock, '2026-06-15T22:50:00Z')
      clocks.device.moveWallClock(8 * 60 * 60_000)
      expect(today(clocks)).toBe('2026-06-16')
    },
  )

  it('stays the day of the server when the device clock is corrected by a day', async () => {
    const clocks = await clocksOf('2026-06-16T12:00:00Z', '2026-06-15T12:00:00Z')
    clocks.device.moveWallClock(-24 * 60 * 60_000)
    expect(today(clocks)).toBe('2026-06-15')
  })
})
