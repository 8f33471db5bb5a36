import { beforeEach, describe, expect, it } from 'vitest'
import { createAnswerMarks } from '#api/answer-marks.ts'
import { answerMarkFeature } from '#contract/codes.ts'
import {
  urlAfterWipe,
  createDeviceUse,
  durableKeys,
  keysKeptAfterWipe,
  readStartParameters,
} from '#store/device-use.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let device: FakeDevice

beforeEach(() => {
  device = createFakeDevice()
})

describe('a device (D31, D38)', () => {
  it('is the applicant’s own by default', () => {
    arrive('')
    expect(use()).toEqual({ kind: 'own' })
  })

  it('is shared while the box is ticked', () => {
    const source = createDeviceUse(device)
    source.choose(true)
    expect(source.isShared()).toBe(true)
    expect(use()).toEqual({ kind: 'shared' })
    source.choose(false)
    expect(use()).toEqual({ kind: 'own' })
  })

  it('becomes own in every tab when the applicant says so in one, and stays shared when the browser deletes the saved use', () => {
    const [here, beside] = [createDeviceUse(device), createDeviceUse(device)]
    here.choose(true)
    expect(beside.isShared()).toBe(true)
    device.saveText('device-use', undefined)
    expect([here.isShared(), beside.isShared()]).toEqual([true, true])
    here.choose(false)
    expect([here.isShared(), beside.isShared()]).toEqual([false, false])
    beside.choose(true)
    expect(here.isShared()).toBe(true)
  })

  it('is a kiosk from the URL parameter on, whatever is ticked and whatever another parameter says (OFF18)', () => {
    arrive('kiosk=12')
    expect(device.urlParameters.size).toBe(0)
    expect(use()).toEqual({ kind: 'kiosk', officeId: '12' })
    createDeviceUse(device).choose(false)
    arrive('')
    expect(use()).toEqual({ kind: 'kiosk', officeId: '12' })
    for (const parameters of ['kiosk=off', 'shared=1', 'kiosk=off&shared=1']) arrive(parameters)
    expect(use()).toEqual({ kind: 'kiosk', officeId: '12' })
  })

  it('asks in this tab for the end of the kiosk mode, until the mode is kept or starts again (OFF18)', () => {
    const isEndRequested = () => createDeviceUse(device).isEndRequested()
    arrive('kiosk=off')
    expect(isEndRequested()).toBe(true)
    createDeviceUse(device).keepKiosk()
    expect(isEndRequested()).toBe(false)
    arrive('kiosk=off')
    arrive('kiosk=12')
    expect(isEndRequested()).toBe(false)
  })

  it('is a shared device when office staff have ended the kiosk mode (OFF18)', () => {
    arrive('kiosk=12')
    createDeviceUse(device).endKiosk()
    expect(use()).toEqual({ kind: 'shared' })
  })

  it.each(['', 'null', 'Shared', 'kiosk:', 'kiosk:<b>', '{'])(
    'counts as shared when the saved use is damaged: %j',
    damaged => {
      device.saveText('device-use', damaged)
      expect(use()).toEqual({ kind: 'shared' })
    },
  )

  it.each(['', '<b>', 'a b', '1'.repeat(65)])(
    'is not a kiosk when the office id is invalid: %j',
    officeId => {
      device.urlParameters.set('kiosk', officeId)
      readStartParameters(device)
      expect(use()).toEqual({ kind: 'own' })
    },
  )

  it.each([
    ['kiosk=12', 'French, for the next person', 'fr'],
    ['shared=1', 'the language of the page', 'en'],
  ])(
    'gets its use back after a wipe from the address that it then opens, and: %s %s (NAV19, NAV20)',
    async (parameters, _, language) => {
      arrive(parameters)
      const before = use()
      await device.wipe({ keysToKeep: [], keepsDrafts: false })
      expect(use()).toEqual({ kind: 'own' })
      const address = urlAfterWipe(before, { language: 'en', logoutReason: 'inactivity' })
      expect(arrive(address.slice(2))).toEqual({ left: 'inactivity' })
      expect(use()).toEqual(before)
      expect(device.readText('lg')).toBe(language)
    },
  )

  it('keeps no data of an applicant after a wipe', async () => {
    arrive('shared=1')
    for (const key of ['lg', 'session', 'activity', 'anything']) device.saveText(key, 'x')
    await device.wipe({ keysToKeep: keysKeptAfterWipe, keepsDrafts: false })
    expect(['lg', 'session', 'activity', 'anything'].map(key => device.readText(key))).toEqual([
      'x',
      undefined,
      undefined,
      undefined,
    ])
    expect(use()).toEqual({ kind: 'shared' })
  })

  it('stays the applicant’s own when another tab wipes it as a shared device and then saves the use again (D31)', async () => {
    const [here, beside] = [createDeviceUse(device), createDeviceUse(device)]
    beside.choose(true)
    here.isShared()
    here.choose(false)
    await device.wipe({ keysToKeep: keysKeptAfterWipe, keepsDrafts: false })
    beside.saveAgain()
    expect([here.isShared(), beside.isShared(), use()]).toEqual([false, false, { kind: 'own' }])
  })

  it('knows after a wipe and a power cut that the server marks its answers, so that no captive portal confirms a log-out (D60)', async () => {
    createAnswerMarks(device).update({ version: '1', features: [answerMarkFeature] }, false)
    await device.wipe({ keysToKeep: keysKeptAfterWipe.filter(isDurable), keepsDrafts: false })
    expect(createAnswerMarks(device).isMarking()).toBe(true)
  })
})

function isDurable(key: string): boolean {
  return durableKeys.some(each => each === key)
}

function arrive(query: string) {
  for (const [name, value] of new URLSearchParams(query)) device.urlParameters.set(name, value)
  return readStartParameters(device)
}

function use() {
  return createDeviceUse(device).current()
}
