// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { emitVisibilityChange, sleepWithStandingClock } from '#support/data/payment-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(async () => {
  vi.useRealTimers()
  await portal.close()
})

type Server = {
  state: string
  appointment: object | null
  holdSeconds: number | null
  differences?: object
  /** The calls for the list fail. */
  isListLost?: boolean
  /** The calls for the reservation fail. */
  isLost?: boolean
  /** The calls for the list are refused. */
  isListRefused?: boolean
}

/** Opens a reservation that has a time. The test may change `server` later. `differences` replace fields of it. */
async function openReservation(server: Server) {
  portal = await openPortal({
    path: '/schedule/app-1/PP-1/visit-1',
    answer({ url, method }) {
      const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      const { state: currentState, appointment, holdSeconds, differences } = server
      if (path === '/applications' && method === 'GET' && server.isListLost) return 'no connection'
      if (path === '/applications' && method === 'GET' && server.isListRefused)
        return { status: 400, json: { statusCode: 400, message: 'refused' } }
      if (path === '/applications' && method === 'GET')
        return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState, appointment }] } }
      if (path !== '/appointments/visit-1') return undefined
      if (server.isLost) return 'no connection'
      const reserved = { id: 'visit-1', appointmentDate: '2026-07-01T08:00:00', nameOffice: 'Yaoundé' }
      return { json: { data: { ...reserved, holdSeconds, ...differences } } }
    },
  })
  await portal.heading(t('schedule.heading'))
  await portal.see(() => portal.button(t('button.cancel')))
}

describe('Cancel', () => {
  it('never cancels an appointment that another tab has confirmed since (S33)', async () => {
    const server: Server = { state: 'PAYMENT_DONE', appointment: null, holdSeconds: 500 }
    await openReservation(server)
    Object.assign(server, {
      state: 'APPOINTMENT_SCHEDULED',
      appointment: { id: 'visit-1' },
      holdSeconds: null,
    })
    portal.button(t('button.cancel')).click()
    await portal.see(() => expect(location.pathname).toBe('/final/app-1/PP-1/visit-1'))
    expect(portal.requests.filter(({ method, body }) => method !== 'GET' && body)).toEqual([])
  })

  it('asks the server to cancel the reservation only: another device may confirm it in this moment (S33)', async () => {
    await openReservation({ state: 'PAYMENT_DONE', appointment: null, holdSeconds: 500 })
    portal.button(t('button.cancel')).click()
    const bodies = () => portal.requests.flatMap(({ body, method }) => (method === 'GET' ? [] : [body]))
    await portal.see(() => expect(bodies()).toEqual([{ cancel: true, onlyHold: true }]))
  })

  it('cancels nothing when only the list on the device says that nothing is booked: it may be old (S33)', async () => {
    const server: Server = { state: 'PAYMENT_DONE', appointment: null, holdSeconds: 500 }
    await openReservation(server)
    // Another tab has confirmed the reservation, or the answer to Finalize was lost.
    server.isListLost = true
    portal.button(t('button.cancel')).click()
    const isFree = () => portal.button(t('button.cancel')).getAttribute('aria-disabled') === null
    await portal.seeAsTimePasses(() => expect(portal.notices.state().last).toBeDefined())
    await portal.see(() => expect(isFree()).toBe(true))
    expect(location.pathname).toBe('/schedule/app-1/PP-1/visit-1')
    expect(portal.requests.filter(({ method, body }) => method !== 'GET' && body)).toEqual([])
  })

  it('says that it has failed when the server refuses the list: a press is never without an answer (S33)', async () => {
    const server: Server = { state: 'PAYMENT_DONE', appointment: null, holdSeconds: 500 }
    await openReservation(server)
    server.isListRefused = true
    portal.button(t('button.cancel')).click()
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toMatchObject({ key: 'notice.generic' }),
    )
    expect(portal.requests.filter(({ method, body }) => method !== 'GET' && body)).toEqual([])
  })
})

describe('a reservation that can no longer be changed once it is confirmed (D43)', () => {
  const lastChange = { state: 'PAYMENT_DONE', appointment: null, holdSeconds: 500 }

  it.each([
    ['at a time', {}],
    ['in the general queue (APT14)', { appointmentDate: null }],
  ])('is called final %s', async (_, differences) => {
    await openReservation({ ...lastChange, differences: { changeRefusal: 'limit', ...differences } })
    expect(portal.main().textContent).toContain(t('appointment.finalHeading'))
  })
})

describe('the time for which the place is held', () => {
  it('is not the one of an earlier answer after the clock was set back (D41, S85)', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-15T09:00:00Z') })
    const server: Server = { state: 'PAYMENT_DONE', appointment: null, holdSeconds: 1_800 }
    await openReservation(server)
    await portal.see(() => expect(portal.main().textContent).toContain('30\u00a0minutes'))
    vi.setSystemTime(new Date('2026-06-14T09:00:00Z'))
    portal.device.moveWallClock(-24 * 60 * 60_000)
    server.holdSeconds = 600
    await portal.device.advance(5 * 60_000)
    portal.device.wakeUp()
    emitVisibilityChange()
    await portal.see(() => expect(portal.main().textContent).toContain('10\u00a0minutes'))
  })

  it('is said to be over after a sleep in which the monotonic clock stood still (APT20, S85)', async () => {
    const server: Server = { state: 'PAYMENT_DONE', appointment: null, holdSeconds: 1_800 }
    await openReservation(server)
    await portal.see(() => expect(portal.main().textContent).toContain('30\u00a0minutes'))
    // Without a connection no answer says for how long the place is held now.
    server.isLost = true
    sleepWithStandingClock(portal.device, 60 * 60_000)
    await portal.see(() => expect(portal.main().textContent).toContain(t('notice.reservationExpired')))
  })

  it('is announced to screen readers when less than a minute is left, and when it is over (APT20)', async () => {
    await openReservation({ state: 'PAYMENT_DONE', appointment: null, holdSeconds: 90 })
    const announced = () => portal.main().querySelector('[role="status"] [data-listen]')?.textContent
    expect(announced()).toBeUndefined()
    await portal.seeAsTimePasses(() => expect(announced()).toBe(t('schedule.heldBriefly')))
    await portal.seeAsTimePasses(() => expect(announced()).toContain(t('notice.reservationExpired')))
  })

  it('leaves one main button when it is over: the one that chooses another time (APT20, D134)', async () => {
    await openReservation({ state: 'PAYMENT_DONE', appointment: null, holdSeconds: 60 })
    const mainButtons = () =>
      [...portal.main().querySelectorAll('button[class*="primary"]')].map(({ textContent }) => textContent)
    expect(mainButtons()).toEqual([t('button.finalize')])
    await portal.seeAsTimePasses(() => expect(mainButtons()).toEqual([t('schedule.chooseAgain')]))
  })

  it.each([
    ['left', 1_800, '30\u00a0minutes'],
    ['over', 0, t('notice.reservationExpired')],
  ])(
    'is still said to be %s at a return to the page without a connection (APT20, D37)',
    async (_, holdSeconds, text) => {
      const server: Server = { state: 'PAYMENT_DONE', appointment: null, holdSeconds }
      await openReservation(server)
      await portal.see(() => expect(portal.main().textContent).toContain(text))
      const reads = () => portal.requests.filter(({ url }) => url.includes('/appointments/visit-1')).length
      const before = reads()
      server.isLost = true
      // An answer of the last two seconds is not read again.
      vi.useFakeTimers({ toFake: ['Date'] })
      vi.advanceTimersByTime(3_000)
      portal.device.wakeUp()
      emitVisibilityChange()
      await portal.see(() => expect(reads()).toBeGreaterThan(before))
      await portal.seeAsTimePasses(() => expect(portal.services.connectivity.isUnreachable()).toBe(true))
      await settle()
      expect(portal.main().textContent).toContain(holdSeconds ? 'minutes' : text)
    },
  )
})
