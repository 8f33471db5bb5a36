// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

let portal: Portal
afterEach(() => portal.close())

it('saves a keystroke that comes after the start of the log-out, and accepts none after the end of the session (D30)', async () => {
  portal = await openPortal({ path: '/form/app-1/PP-1/GeneralData' })
  await portal.see(() => expect(portal.named('travelDestination')).toBeTruthy())
  // Another write hangs, so the welcome page comes late.
  const stopHanging = portal.services.pendingWrites.add(() => new Promise(() => undefined))
  const field = portal.named('travelDestination')
  const loggedOut = portal.services.session.logOut('inactivity')
  portal.type('travelDestination', 'Gabon')
  await portal.device.advance(2_000)
  await portal.see(() => expect(portal.services.session.state().kind).toBe('signed-out'))
  await portal.see(() => expect(field.isConnected).toBe(false))
  expect(location.pathname).toContain('/form/')
  // The test advances the clock faster than the device encrypts; the write continues with the key in memory.
  await portal.see(async () =>
    expect((await portal.store.drafts.read('app-1'))?.values.travelDestination).toBe('Gabon'),
  )
  stopHanging()
  await portal.device.advance(2_000)
  await loggedOut
})
