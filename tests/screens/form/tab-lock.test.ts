import { expect, it } from 'vitest'
import { ApplicationId } from '#contract/ids.ts'
import { createTabLock } from '#screens/form/tab-lock.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

it('lets go of a form that was left while another tab still had it (D32)', async () => {
  let give = nothing
  let held = true
  const device = {
    ...createFakeDevice(),
    async acquireLock() {
      await new Promise<void>(resolve => (give = resolve))
      return () => {
        held = false
      }
    },
  }
  const holder = createTabLock(device, ApplicationId.parse('7'))
  const leave = holder.start({ flush: async () => undefined, onAcquired: () => undefined })
  leave()
  give()
  await expect.poll(() => held).toBe(false)
})

function nothing(): void {}
