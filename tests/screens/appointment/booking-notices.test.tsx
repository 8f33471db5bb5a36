// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { sleepWithStandingClock } from '#support/data/payment-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(async () => {
  vi.useRealTimers()
  await portal.close()
})

/**
 * Opens the list of applications, which says that a place is held for 30 s. Then makes the requests of the list fail,
 * and opens the booking `secondsLater`.
 */
async function openBookingAfterList(secondsLater: number) {
  const reservation = { id: 'apt-1', appointmentDate: '2026-07-06T09:30', holdSeconds: 30 }
  const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE', reservation }
  let isFailing = false
  portal = await openPortal({
    path: '/procedure',
    answer({ url }) {
      if (!new URL(url, 'http://portal.test').pathname.endsWith('/applications')) return undefined
      return isFailing ? { status: 500, json: { statusCode: 500 } } : { json: { data: [listed] } }
    },
  })
  await portal.see(() => expect(portal.main().textContent).toContain(t('state.PAYMENT_DONE')))
  isFailing = true
  await portal.device.advance(secondsLater * 1_000)
  await portal.router.navigate({ href: '/appointment/app-1/PP-1' })
  await portal.heading(t('appointment.heading'))
}

const isHeldPlaceShown = () => portal.main().textContent.includes(t('appointment.heldHeading'))

it('shows a held place until the hold ends, counted from the answer and not from the visit (D41)', async () => {
  await openBookingAfterList(20)
  await portal.see(() => expect(isHeldPlaceShown()).toBe(true))
  await portal.device.advance(11_000)
  await portal.see(() => expect(isHeldPlaceShown()).toBe(false))
})

it('does not show a place whose hold has ended since the list was read (D41)', async () => {
  await openBookingAfterList(31)
  await portal.see(() => expect(portal.main().querySelector('form')).not.toBeNull())
  expect(isHeldPlaceShown()).toBe(false)
})

it('does not show a place whose hold has ended while the phone slept and the monotonic clock stood still (D41, S85)', async () => {
  await openBookingAfterList(10)
  await portal.see(() => expect(isHeldPlaceShown()).toBe(true))
  sleepWithStandingClock(portal.device, 60 * 60_000)
  await portal.see(() => expect(isHeldPlaceShown()).toBe(false))
})
