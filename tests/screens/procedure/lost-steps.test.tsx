// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { textsOf } from '#support/data/texts.ts'
import { attempt } from '#support/fixtures/payment-fixture.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

const office = { fr: 'Bureau de Yaoundé', en: 'Yaoundé office' }
const appointment = { id: 'apt-1', appointmentDate: '2026-07-06T09:30', office }
type Server = {
  state: string | undefined
  isBooked: boolean
  appointmentId?: string
  appointmentDate?: string
  confirmedAt?: string
  epoch?: string
  /** The time of the server. */
  time?: string
  attempts: object[]
  deletionDate?: string
  /** The time of the appointment that a closed day has cancelled. */
  lostTime?: string
}

/**
 * Opens a page and waits until the device has cached the list of applications. A test then changes `server`, as a restore
 * from a backup or a usual event does.
 */
async function openList(server: Server, path = '/procedure') {
  portal = await openPortal({
    path,
    answer({ url }) {
      const { pathname } = new URL(url, 'http://portal.test')
      if (pathname.endsWith('/attempts')) return { json: { data: server.attempts } }
      if (!pathname.endsWith('/applications')) return undefined
      const { state: currentState, isBooked, deletionDate, appointmentDate, confirmedAt, epoch } = server
      const { appointmentId: id = appointment.id, lostTime } = server
      const given = { id, confirmedAt, ...(appointmentDate && { appointmentDate }) }
      const booked = { appointment: isBooked ? { ...appointment, ...given } : null, deletionDate }
      const lostToClosedDay = lostTime ? { appointmentDate: lostTime } : null
      const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState, ...booked, lostToClosedDay }
      return { json: { data: currentState ? [listed] : [], epoch, time: server.time } }
    },
  })
  await portal.see(() => expect(portal.requests.some(({ url }) => url.includes('/applications?'))).toBe(true))
  await portal.see(async () => {
    const { responses } = await portal.services.openStore()
    expect(await responses.namesWith('listApplications')).toHaveLength(1)
  })
}

/**
 * An appointment and its two changes, the newest last. The epochs have the opposite order: the server has the newest
 * booking in the epoch `first`, and each restore brings back the booking before, with the next epoch.
 */
const bookings = [
  {
    appointmentId: 'apt-1',
    appointmentDate: '2026-07-06T09:30',
    confirmedAt: '2026-06-01T08:00:00.000Z',
    epoch: 'third',
  },
  {
    appointmentId: 'apt-2',
    appointmentDate: '2026-07-13T09:30',
    confirmedAt: '2026-06-10T08:00:00.000Z',
    epoch: 'second',
  },
  {
    appointmentId: 'apt-3',
    appointmentDate: '2026-07-20T09:30',
    confirmedAt: '2026-06-12T08:00:00.000Z',
    epoch: 'first',
  },
] as const

const textOf = ({ appointmentDate }: { appointmentDate: string }) =>
  `${office.fr}, lundi ${Number(appointmentDate.slice(8, 10))} juillet 2026, 09:30`

/** Of each booking: that the service has lost it, and that the service has it now. */
const sentences = [sentencesOf(bookings[0]), sentencesOf(bookings[1]), sentencesOf(bookings[2])] as const

function sentencesOf(booking: (typeof bookings)[number]) {
  const values = { appointment: textOf(booking) }
  return { lost: t('lost.appointment', values), now: t('lost.earlier', values) }
}

/** A closed day has cancelled the appointment of `bookings[1]`. */
const canceled = {
  state: 'APPOINTMENT_CANCELED',
  isBooked: false,
  lostTime: bookings[1].appointmentDate,
} as const

async function openCanceled(): Promise<Server> {
  const server: Server = { ...canceled, attempts: [], epoch: 'first' }
  await openList(server)
  return server
}

async function readListAgain() {
  const { queries, queryClient } = await portal.services.openQueries()
  await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications') })
}

describe('the panel of a payment or booking that a restored server no longer knows (D62)', () => {
  it.each(['DATA_SAVED', 'NEW', undefined])(
    'names the payment and the appointment when the state is %s',
    async state => {
      const server: Server = { state: 'APPOINTMENT_SCHEDULED', isBooked: true, attempts: [] }
      await openList(server)
      Object.assign(server, { state, isBooked: false })
      await readListAgain()
      await portal.see(() => expect(portal.main().textContent).toContain(t('lost.payment')))
      expect(portal.main().textContent).toContain(t('form.number', { number: 'PP-1' }))
      expect(portal.main().textContent).toContain('lundi 6\u00a0juillet 2026')

      Object.assign(server, { state: 'APPOINTMENT_SCHEDULED', isBooked: true })
      await readListAgain()
      await portal.see(() => expect(portal.main().textContent).not.toContain(t('lost.payment')))
    },
  )

  it('names only the appointment when the payment is still known, and goes when it is noted', async () => {
    const server: Server = { state: 'READY_FOR_CM', isBooked: true, attempts: [] }
    await openList(server)
    Object.assign(server, { state: 'PAYMENT_DONE', isBooked: false })
    await readListAgain()
    await portal.see(() => expect(portal.button(t('lost.noted'))).toBeDefined())
    expect(portal.main().textContent).toContain('lundi 6\u00a0juillet 2026')
    expect(portal.main().textContent).not.toContain(t('lost.payment'))
    portal.button(t('lost.noted')).click()
    await portal.see(() => expect(portal.main().textContent).not.toContain('lundi 6\u00a0juillet 2026'))
  })

  it('moves the focus to the heading when it is noted, because its button goes', async () => {
    const server: Server = { state: 'READY_FOR_CM', isBooked: true, attempts: [] }
    await openList(server)
    Object.assign(server, { state: 'PAYMENT_DONE', isBooked: false })
    await readListAgain()
    const noted = await portal.see(() => portal.button(t('lost.noted')))
    noted.focus()
    noted.click()
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('lost.heading')))
    expect(document.activeElement?.id).toBe('heading')
  })

  it('names both appointments when the restore has undone a change of the appointment', async () => {
    const appointmentDate = '2026-07-13T09:30'
    const server: Server = {
      state: 'APPOINTMENT_CHANGED',
      isBooked: true,
      attempts: [],
      appointmentDate,
      confirmedAt: '2026-06-10T08:00:00.000Z',
      epoch: 'before',
    }
    await openList(server)
    const earlier = { appointmentDate: '2026-07-06T09:30', confirmedAt: '2026-06-01T08:00:00.000Z' }
    Object.assign(server, { state: 'APPOINTMENT_SCHEDULED', epoch: 'after', ...earlier })
    await readListAgain()
    // `t` sets a no-break space after each number.
    const known = `${office.fr}, lundi 13 juillet 2026, 09:30`
    const current = `${office.fr}, lundi 6 juillet 2026, 09:30`
    await portal.see(() =>
      expect(portal.main().textContent).toContain(t('lost.appointment', { appointment: known })),
    )
    expect(portal.main().textContent).toContain(t('lost.earlier', { appointment: current }))
    expect(portal.main().textContent).not.toContain(t('lost.payment'))
    portal.button(t('lost.noted')).click()
    await portal.see(() => expect(portal.main().textContent).not.toContain('13\u00a0juillet'))
  })

  it('names the newest appointment after two restores, not the one in between', async () => {
    const server: Server = { state: 'APPOINTMENT_CHANGED', isBooked: true, attempts: [], ...bookings[2] }
    await openList(server)
    Object.assign(server, bookings[1])
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(sentences[2].lost))
    expect(portal.main().textContent).toContain(sentences[1].now)
    Object.assign(server, bookings[0])
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(sentences[0].now))
    expect(portal.main().textContent).toContain(sentences[2].lost)
    expect(portal.main().textContent).not.toContain(sentences[1].lost)
  })

  it('names the newest appointment when a second restore has undone the booking too', async () => {
    const server: Server = { state: 'APPOINTMENT_CHANGED', isBooked: true, attempts: [], ...bookings[2] }
    await openList(server)
    Object.assign(server, bookings[1])
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(sentences[1].now))
    Object.assign(server, { state: 'PAYMENT_DONE', isBooked: false, epoch: 'third' })
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).not.toContain(sentences[1].now))
    expect(portal.main().textContent).toContain(sentences[2].lost)
    expect(portal.main().textContent).not.toContain(sentences[1].lost)
  })

  it('names the payment too when a second restore has undone it', async () => {
    const server: Server = { state: 'APPOINTMENT_SCHEDULED', isBooked: true, attempts: [], ...bookings[2] }
    await openList(server)
    Object.assign(server, { state: 'PAYMENT_DONE', isBooked: false, epoch: 'second' })
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(sentences[2].lost))
    expect(portal.main().textContent).not.toContain(t('lost.payment'))
    Object.assign(server, { state: 'DATA_SAVED', epoch: 'third' })
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(t('lost.payment')))
    expect(portal.main().textContent).toContain(sentences[2].lost)
  })

  it('names a cancelled appointment that the restore has brought back, without saying that it is cancelled', async () => {
    const server = await openCanceled()
    Object.assign(server, {
      state: 'APPOINTMENT_SCHEDULED',
      isBooked: true,
      ...bookings[1],
      lostTime: undefined,
    })
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(t('lost.heading')))
    expect(portal.main().textContent).toContain(sentences[1].now + t('lost.ask'))
    // The office may have opened the day again, so the portal does not say that the appointment is cancelled.
    expect(portal.main().textContent).not.toContain(t('appointment.closedHeading'))

    // The office cancels it again.
    Object.assign(server, canceled)
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('lost.heading')))
  })

  it('is not shown when the applicant has booked another time after a cancellation and a restore', async () => {
    const server = await openCanceled()
    Object.assign(server, { state: 'APPOINTMENT_SCHEDULED', isBooked: true, ...bookings[2], epoch: 'second' })
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(t('state.APPOINTMENT_SCHEDULED')))
    await portal.device.advance(1_000)
    expect(portal.main().textContent).not.toContain(t('lost.noted'))
  })

  it('names the appointment when the restore has undone a cancellation by the applicant', async () => {
    const time = '2026-06-11T08:00:00.000Z'
    const server: Server = {
      state: 'APPOINTMENT_CANCELED',
      isBooked: false,
      attempts: [],
      epoch: 'first',
      time,
    }
    await openList(server)
    Object.assign(server, { state: 'APPOINTMENT_SCHEDULED', isBooked: true, ...bookings[1] })
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(t('lost.heading')))
    expect(portal.main().textContent).toContain(sentences[1].now + t('lost.ask'))
    expect(portal.main().textContent).not.toContain(t('lost.payment'))
  })

  it.each([
    ['APPOINTMENT_CANCELED', undefined],
    ['READY_TO_RESCHEDULE', undefined],
    ['DELETED', undefined],
    ['FAILED', undefined],
    // The announced day of the deletion has come, and the application is gone.
    [undefined, '2026-06-15'],
  ])('is not shown after a usual change to %s', async (state, deletionDate) => {
    const server: Server = { state: 'APPOINTMENT_SCHEDULED', isBooked: true, attempts: [] }
    if (deletionDate) server.deletionDate = deletionDate
    await openList(server)
    Object.assign(server, { state, isBooked: false })
    await readListAgain()
    await portal.see(() => expect(portal.services.sync.list()).toEqual([]))
    await portal.device.advance(1_000)
    expect(portal.main().textContent).not.toContain(t('lost.noted'))
  })

  // The portal's clock says 15 June 2026. The server erases an application a year after its last change, without an
  // announcement when the applicant is enrolled: then the device can only compare the time of the appointment.
  it.each([
    ['is not shown', '2025-06-10T09:30', 'SENT_TO_CM'],
    ['is not shown', '2025-06-10T09:30', 'APPOINTMENT_SCHEDULED'],
    ['is shown', '2025-06-20T09:30', 'SENT_TO_CM'],
    ['is shown', '2026-05-20T09:30', 'SENT_TO_CM'],
  ])(
    '%s for an application that is gone, with an appointment at %s and the last known state %s (D113)',
    async (expected, date, state) => {
      const server: Server = { state, isBooked: true, attempts: [], appointmentDate: date }
      await openList(server)
      Object.assign(server, { state: undefined, isBooked: false })
      await readListAgain()
      await portal.see(async () => {
        const [name = ''] = await portal.store.responses.namesWith('listApplications')
        expect(await portal.store.responses.read(name)).toEqual({ data: [] })
      })
      await portal.device.advance(1_000)
      await portal.see(() =>
        expect(portal.main().textContent.includes(t('lost.noted'))).toBe(expected === 'is shown'),
      )
    },
  )

  it('is shown when a restored server lists the application as unpaid, however old it is', async () => {
    const [date, deletionDate] = ['2025-06-10T09:30', '2026-06-15']
    const server: Server = {
      state: 'SENT_TO_CM',
      isBooked: true,
      attempts: [],
      appointmentDate: date,
      deletionDate,
    }
    await openList(server)
    Object.assign(server, { state: 'DATA_SAVED', isBooked: false })
    await readListAgain()
    await portal.see(() => expect(portal.main().textContent).toContain(t('lost.payment')))
  })

  it('names an open payment before the applicant pays again', async () => {
    const server: Server = { state: 'DATA_SAVED', isBooked: false, attempts: [attempt({ id: 'pay-1' })] }
    await openList(server, '/payment/app-1/PP-1')
    await portal.see(async () => {
      const { responses } = await portal.services.openStore()
      expect(await responses.namesWith('listPaymentAttempts')).toHaveLength(1)
    })
    Object.assign(server, { attempts: [] })
    const { queries, queryClient } = await portal.services.openQueries()
    await queryClient.invalidateQueries({ queryKey: queries.keyOf('paymentAttempts') })
    await portal.router.navigate({ href: '/procedure' })
    await portal.see(() => expect(portal.main().textContent).toContain(t('lost.payment')))
    expect(portal.main().textContent).toContain(attempt({}).orderNumber)

    await portal.router.navigate({ href: '/payment/app-1/PP-1' })
    await portal.heading(t('payment.heading'))
    await portal.see(() => expect(portal.main().textContent).toContain(t('lost.payment')))
  })
})
