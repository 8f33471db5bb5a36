import { afterEach, beforeEach, expect, it } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import { restWithSessions } from './simulation/session-acts.ts'
import { firstSessionSeed } from './simulation/session-steps.ts'
import { maxEvents } from './simulation/virtual-clock.ts'
import { installVirtualPlatform } from './simulation/virtual-platform.ts'
import { createWorld, type World } from './simulation/world.ts'

let world: World
let restorePlatform: () => void
beforeEach(() => {
  world = createWorld({ seed: firstSessionSeed, maxOpenApplications: 1 })
  restorePlatform = installVirtualPlatform(world.clock, 1)
})
afterEach(async () => {
  for (const tab of world.tabs()) tab.die()
  await world.clock.pass(60_000)
  restorePlatform()
})

it('a world reports no fault after `maxEvents` events, when its clock runs no timer any more', async () => {
  for (let event = 0; event < maxEvents; event += 1) world.clock.after(0, doNothing)
  await world.clock.pass(0)
  expect(world.clock.count()).toBe(maxEvents)
  await restWithSessions(world)
  expect(world.faults()).toEqual([])
})
