import { expect, it } from 'vitest'
import { ApplicationId } from '#contract/ids.ts'
import { createTabLock } from '#screens/form/tab-lock.ts'
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
  const tabLock = createTabLock(device, ApplicationId.parse('7'))
  const closeForm = tabLock.start({ flush: async () => undefined, onAcquired: () => undefined })
  closeForm()
  grantLock()
  await expect.poll(() => isHeld).toBe(false)
})

function doNothing(): void {}
