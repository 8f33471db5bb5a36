import { expect, it } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import { createTabLock } from '#screens/form/tab-lock.ts'
import { settle } from '#support/settle.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

it('releases the lock when it is granted after the form was closed (D32)', async () => {
  let grantLock = doNothing
  let isHeld = true
  const device = {
    ...createFakeDevice(),
    async acquireLock() {
      await new Promise<void>(resolve => (grantLock = resolve))
      return () => {
        isHeld = false
      }
    },
  }
  const tabLock = createTabLock(device, () => '7')
  const closeForm = tabLock.start({ flush: async () => undefined, onTakenBack: () => undefined })
  closeForm()
  grantLock()
  await expect.poll(() => isHeld).toBe(false)
})

it('gives the form, once it has the id of the server, to a tab that opened it under that id (D33)', async () => {
  const device = createFakeDevice()
  let id = 'local-1'
  let flushCount = 0
  const tabLock = createTabLock(device, () => id)
  tabLock.start({ flush: async () => void (flushCount += 1), onTakenBack: () => undefined })
  device.receiveBroadcast({ kind: 'take-over', form: '5' })
  expect(tabLock.state()).toBe('this-tab')
  id = '5'
  device.receiveBroadcast({ kind: 'take-over', form: '5' })
  await expect.poll(() => tabLock.state()).toBe('other-tab')
  expect(flushCount).toBe(1)
})

it('keeps the form after two presses on the button that takes it back (D32)', async () => {
  // Like the lock of a browser: a request that waits longer than its limit steals the lock, also from its own tab.
  const waiting: (() => void)[] = []
  let loseLock = doNothing
  const device = {
    ...createFakeDevice(),
    async acquireLock(_name: string, { onLost }: { onLost: () => void }) {
      await new Promise<void>(resolve => waiting.push(resolve))
      loseLock()
      loseLock = onLost
      return doNothing
    },
  }
  const grantAll = () => waiting.splice(0).forEach(grant => grant())
  const tabLock = createTabLock(device, () => '7')
  let takenBackCount = 0
  tabLock.start({ flush: async () => undefined, onTakenBack: () => void (takenBackCount += 1) })
  grantAll()
  await settle()
  device.receiveBroadcast({ kind: 'take-over', form: '7' })
  await expect.poll(() => tabLock.state()).toBe('other-tab')
  loseLock = doNothing
  const states: string[] = []
  tabLock.subscribe(() => states.push(tabLock.state()))
  tabLock.acquire()
  tabLock.acquire()
  grantAll()
  await expect.poll(() => takenBackCount).toBe(1)
  await settle()
  expect(states).toEqual(['this-tab'])
  // The next press asks again.
  device.receiveBroadcast({ kind: 'take-over', form: '7' })
  await expect.poll(() => tabLock.state()).toBe('other-tab')
  tabLock.acquire()
  expect(waiting).toHaveLength(1)
})

it('keeps the form that the applicant takes back while the save for the other tab hangs (D32)', async () => {
  let loseLock = doNothing
  let endFlush = doNothing
  const device = {
    ...createFakeDevice(),
    async acquireLock(_name: string, { onLost }: { onLost: () => void }) {
      loseLock = onLost
      return doNothing
    },
  }
  const tabLock = createTabLock(device, () => '7')
  tabLock.start({
    flush: () => new Promise<void>(resolve => (endFlush = resolve)),
    onTakenBack: () => undefined,
  })
  await settle()
  device.receiveBroadcast({ kind: 'take-over', form: '7' })
  // The other tab has waited long enough for the save, and takes the form by force.
  loseLock()
  expect(tabLock.state()).toBe('other-tab')
  tabLock.acquire()
  await expect.poll(() => tabLock.state()).toBe('this-tab')
  endFlush()
  await settle()
  expect(tabLock.state()).toBe('this-tab')
})
