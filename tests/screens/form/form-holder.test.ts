import { expect, it } from 'vitest'
import { ApplicationId } from '#contract/ids.ts'
import { createHolder } from '#screens/form/form-holder.ts'
import { createWoundDevice } from '#support/wound-device.ts'

it('lets go of a form that was left while another tab still had it (D32)', async () => {
  let give = nothing
  let held = true
  const device = {
    ...createWoundDevice(),
    async hold() {
      await new Promise<void>(resolve => (give = resolve))
      return () => {
        held = false
      }
    },
  }
  const holder = createHolder(device, ApplicationId.parse('7'))
  const leave = holder.start({ flush: async () => undefined, onTaken: () => undefined })
  leave()
  give()
  await expect.poll(() => held).toBe(false)
})

function nothing(): void {}
