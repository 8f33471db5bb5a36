// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

type Refusal = {
  state: string
  /** What the server says after the refusal. */
  holdSeconds: number | undefined
  status?: number
  /** The answer to the read after the refusal. */
  read?: ReturnType<NonNullable<PortalOptions['answer']>>
}

/** Opens a reservation that the server does not confirm, and presses Finalize. */
async function finalizeRefused(options: Refusal) {
  let isFinalized = false
  portal = await openPortal({
    path: '/schedule/app-1/PP-1/visit-1',
    state: options.state,
    answer({ url, method }) {
      const { pathname } = new URL(url, 'http://portal.test')
      if (pathname.endsWith('/confirm')) {
        isFinalized = true
        const { status } = options
        return status ? { status, json: { statusCode: status } } : { json: { data: false } }
      }
      if (method !== 'GET' || !pathname.endsWith('/appointments/visit-1')) return undefined
      if (isFinalized && options.read) return options.read
      const holdSeconds = isFinalized ? options.holdSeconds : 500
      const appointment = { id: 'visit-1', appointmentDate: '2026-07-01T08:00:00', nameOffice: 'Yaoundé' }
      return { json: { data: { ...appointment, ...(holdSeconds !== undefined && { holdSeconds }) } } }
    },
  })
  await portal.heading(t('schedule.heading'))
  await portal.see(() => portal.button(t('button.finalize')).click())
}

const said = () => portal.notices.state().last?.message

describe('a reservation that is not confirmed', () => {
  it.each([
    ['its hold has ended', 0],
    ['the server does not say how long it holds a place', undefined],
  ])('is called expired when %s, and the times are shown again (ERR22)', async (_name, holdSeconds) => {
    await finalizeRefused({ state: 'PAYMENT_DONE', holdSeconds })
    await portal.heading(t('appointment.heading'))
    expect(said()).toEqual({ key: 'notice.reservationExpired' })
  })

  it('is not called expired while the place is held: Finalize stays (ERR22)', async () => {
    await finalizeRefused({ state: 'PAYMENT_DONE', holdSeconds: 400 })
    await portal.see(() => expect(said()).toEqual({ key: 'notice.generic' }))
    await portal.see(() =>
      expect(portal.button(t('button.finalize')).getAttribute('aria-disabled')).toBeNull(),
    )
    await portal.heading(t('schedule.heading'))
  })

  it('is sent under a new key when the applicant presses Finalize again: the server repeats an answer under its key (D13)', async () => {
    await finalizeRefused({ state: 'PAYMENT_DONE', holdSeconds: 400, status: 409 })
    await portal.see(() => expect(said()).toEqual({ key: 'notice.generic' }))
    const isFree = () => portal.button(t('button.finalize')).getAttribute('aria-disabled') === null
    await portal.see(() => expect(isFree()).toBe(true))
    portal.button(t('button.finalize')).click()
    const keys = () =>
      portal.requests
        .filter(({ url }) => url.includes('/confirm'))
        .map(({ headers }) => headers.get('idempotency-key'))
    await portal.see(() => expect(keys()).toHaveLength(2))
    expect(new Set(keys()).size).toBe(2)
  })

  it.each([
    ['finds no connection', 'no connection' as const],
    ['is answered with 503', { status: 503, json: { statusCode: 503 } }],
  ])('is not called expired when the read that follows %s: Finalize stays (ERR22)', async (_name, read) => {
    await finalizeRefused({ state: 'PAYMENT_DONE', holdSeconds: undefined, read })
    await portal.see(() => expect(said()).toEqual({ key: 'notice.serviceUnavailable' }))
    await portal.see(() =>
      expect(portal.button(t('button.finalize')).getAttribute('aria-disabled')).toBeNull(),
    )
    await portal.heading(t('schedule.heading'))
  })

  it('is called expired when the server no longer has it (ERR22)', async () => {
    const read = { status: 404, json: { statusCode: 404 } }
    await finalizeRefused({ state: 'PAYMENT_DONE', holdSeconds: undefined, read })
    await portal.heading(t('appointment.heading'))
    expect(said()).toEqual({ key: 'notice.reservationExpired' })
  })

  it('says that the change is not allowed when the reservation is for a change and its place is held (ERR22, ERR23)', async () => {
    await finalizeRefused({ state: 'APPOINTMENT_SCHEDULED', holdSeconds: 400, status: 409 })
    await portal.see(() => expect(said()).toEqual({ key: 'notice.changeRefused' }))
    await portal.heading(t('schedule.heading'))
  })
})

describe('when the connection is lost just after Finalize (D37, D129)', () => {
  it.each([
    ['the appointment before the change', 'APPOINTMENT_SCHEDULED', { id: 'apt-1' }],
    ['the booking', 'PAYMENT_DONE', null],
    // Another back end may list the reservation before it is confirmed.
    ['the booking of a listed reservation', 'PAYMENT_DONE', { id: 'visit-1' }],
  ])('the booked appointment opens, and not %s', async (_, currentState, appointment) => {
    await finalizeThenLose({ currentState, appointment })
    expect(location.pathname).toBe('/final/app-1/PP-1/visit-1')
    await portal.seeAsTimePasses(() => expect(portal.main().textContent).toContain('2 décembre 2026'))
  })
})

/** `date`: the day in December. */
function day(date: number) {
  return { appointmentDate: `2026-12-0${date}T09:30:00`, nameOffice: 'DGSN' }
}

/** Confirms the reservation `visit-1` of 2 December; the server gives no answer after that. */
async function finalizeThenLose(listed: { currentState: string; appointment: { id: string } | null }) {
  let isLost = false
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      if (isLost) return 'no connection'
      const { pathname } = new URL(url, 'http://portal.test')
      if (pathname.endsWith('/applications') && method === 'GET')
        return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', ...listed }] } }
      if (pathname.endsWith('/confirm')) {
        isLost = true
        return { json: { data: true } }
      }
      if (pathname.endsWith('/appointments/apt-1')) return { json: { data: { id: 'apt-1', ...day(1) } } }
      const reserved = { id: 'visit-1', ...day(2), holdSeconds: 500 }
      return pathname.endsWith('/appointments/visit-1') ? { json: { data: reserved } } : undefined
    },
  })
  await portal.heading(t('procedure.heading'))
  await portal.router.navigate({ href: '/schedule/app-1/PP-1/visit-1' })
  await portal.heading(t('schedule.heading'))
  await portal.see(() => portal.button(t('button.finalize')).click())
  await portal.seeAsTimePasses(() =>
    expect(document.querySelector('h1')?.textContent).not.toBe(t('schedule.heading')),
  )
}
