import { describe, expect, it } from 'vitest'
import { createNotices } from '#app/notices.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

const message = { key: 'notice.offline' } as const

describe('createNotices', () => {
  it.each([
    ['warning', 3_000, 'ERR28'],
    ['danger', 15_000, 'ERR29'],
  ] as const)(
    'hides a notice of tone %s after %i ms, and still has it as the last notice (%s, D51)',
    async (tone, durationMs, _id) => {
      const device = createFakeDevice()
      const notices = createNotices(device)
      notices.raise(tone, message)
      await device.advance(durationMs - 1)
      expect(notices.state().shown).toMatchObject({ tone, message })
      await device.advance(1)
      expect(notices.state()).toMatchObject({ shown: undefined, last: { tone, message } })
    },
  )

  it('replaces the shown notice and restarts the timer (ERR11)', async () => {
    const device = createFakeDevice()
    const notices = createNotices(device)
    notices.raise('warning', message)
    await device.advance(2_000)
    notices.raise('danger', { key: 'notice.serviceUnavailable' })
    await device.advance(10_000)
    expect(notices.state().shown?.message).toEqual({ key: 'notice.serviceUnavailable' })
  })

  it('withdraws the notice with the given key and no other', () => {
    const notices = createNotices(createFakeDevice())
    notices.raise('warning', message)
    notices.withdraw('notice.generic')
    expect(notices.state().shown).toMatchObject({ message })
    notices.withdraw('notice.needsConnection', 'notice.offline')
    expect(notices.state()).toEqual({ shown: undefined, last: undefined })
  })

  it('says only that the step needs a connection while the banner says that the device is offline (ERR25)', () => {
    let isOfflineShown = true
    const notices = createNotices(createFakeDevice(), () => isOfflineShown)
    notices.raise('warning', message)
    expect(notices.state().shown).toMatchObject({ message: { key: 'notice.needsConnection' } })
    notices.raise('danger', { key: 'notice.generic' })
    expect(notices.state().shown).toMatchObject({ message: { key: 'notice.generic' } })
    isOfflineShown = false
    notices.raise('warning', message)
    expect(notices.state().shown).toMatchObject({ message })
  })

  it('ends the last notice with one of the given keys, and leaves the shown one its time (ERR28, D51)', async () => {
    const device = createFakeDevice()
    const notices = createNotices(device)
    notices.raise('warning', { key: 'notice.codeWrong' })
    notices.end('notice.generic', 'notice.unsent')
    expect(notices.state().last).toBeDefined()
    notices.end('notice.unsent', 'notice.codeWrong')
    expect(notices.state()).toMatchObject({ shown: { tone: 'warning' }, last: undefined })
    await device.advance(3_000)
    expect(notices.state()).toEqual({ shown: undefined, last: undefined })
  })

  it('keeps the notice while the timer is paused', async () => {
    const device = createFakeDevice()
    const notices = createNotices(device)
    notices.raise('warning', message)
    notices.pause()
    await device.advance(60_000)
    expect(notices.state().shown).toBeDefined()
    notices.resume()
    await device.advance(3_000)
    expect(notices.state().shown).toBeUndefined()
  })
})
