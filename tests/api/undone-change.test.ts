import { afterEach, describe, expect, it, vi } from 'vitest'
import { createQueryClient } from '#api/queries.ts'
import { ApplicationId, ApplicationNumber } from '#contract/ids.ts'
import { createQueriesOnPhone } from '#support/fixtures/queries-on-phone.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { eventually } from '#support/eventually.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const [yaounde, douala] = [
  { fr: 'Bureau de Yaoundé', en: 'Yaoundé office' },
  { fr: 'Bureau de Douala', en: 'Douala office' },
]
const first = {
  id: 'apt-1',
  appointmentDate: '2027-03-10T09:30:00',
  office: yaounde,
  confirmedAt: '2026-06-01T08:00:00.000Z',
}
const moved = {
  id: 'apt-2',
  appointmentDate: '2027-03-17T09:30:00',
  office: yaounde,
  confirmedAt: '2026-06-08T08:00:00.000Z',
}
const later = { ...moved, id: 'apt-3', confirmedAt: '2026-06-14T08:00:00.000Z' }
const nextWeek = { ...later, appointmentDate: '2027-03-24T09:30:00' }

type Server = {
  appointment: object | null
  epoch?: string | undefined
  currentState?: string
  time?: string | undefined
}

/** A phone that has read the list of `server`. `read`: reads it again, and waits until the phone has saved it. */
async function openList(server: Server) {
  const phone = createQueriesOnPhone({ signedInId: () => 'ada' })
  const { queries, cache } = phone
  const client = createQueryClient()
  /** The number of the answer, sent as `deletionDate`, because the comparison of appointments ignores this field. */
  let count = 0
  installFakeFetch(() => {
    const { epoch, currentState = 'APPOINTMENT_CHANGED', appointment, time } = server
    const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState, appointment }
    return { json: { data: [{ ...listed, deletionDate: `read ${count}` }], epoch, time } }
  })
  async function read(changed: Partial<Server> = {}) {
    Object.assign(server, changed)
    count += 1
    await client.fetchQuery({ ...queries.applications('ada'), staleTime: 0 })
    await eventually(() => expect([...cache.values()].join()).toContain(`read ${count}`))
  }
  const steps = () => client.fetchQuery({ ...queries.lostSteps('ada'), staleTime: 0 })
  await read()
  return { read, steps, queries }
}

describe('a change of an appointment that a restore has undone (D62)', () => {
  it.each([
    ['another day', moved, first],
    [
      'another office at the same time',
      { ...moved, office: douala },
      { ...moved, ...first, appointmentDate: moved.appointmentDate },
    ],
    ['from a time back to the general queue', moved, { ...first, appointmentDate: null }],
  ])('is reported with both appointments: %s', async (_, had, now) => {
    const { read, steps } = await openList({ appointment: had, epoch: 'before' })
    await read({ appointment: now, epoch: 'after', currentState: 'APPOINTMENT_SCHEDULED' })
    expect(await steps()).toEqual([
      {
        id: 'app-1',
        application: { applicationNumber: 'PP-1', currentState: 'APPOINTMENT_CHANGED', appointment: had },
        earlierAppointment: now,
        isPaymentLost: false,
        orders: [],
      },
    ])
  })

  it.each<[string, Server, Partial<Server>]>([
    [
      'an old answer, from before the change, comes late',
      { appointment: moved, epoch: 'a' },
      { appointment: first },
    ],
    ['a server has no epoch', { appointment: moved }, { appointment: first }],
    [
      'the device does not know the earlier epoch',
      { appointment: moved },
      { appointment: first, epoch: 'b' },
    ],
    [
      'the restored server sends no epoch',
      { appointment: moved, epoch: 'a' },
      { appointment: first, epoch: undefined },
    ],
    [
      'the server does not say when the appointment was booked',
      { appointment: moved, epoch: 'a' },
      { appointment: { ...first, confirmedAt: null }, epoch: 'b' },
    ],
    [
      'another phone changed the appointment, and the backup has this change',
      { appointment: first, epoch: 'a' },
      { appointment: moved, epoch: 'b' },
    ],
    [
      'another phone changed the appointment after the restore',
      { appointment: moved, epoch: 'a' },
      { appointment: nextWeek, epoch: 'b' },
    ],
    [
      'the restored appointment has the same place and time',
      { appointment: later, epoch: 'a' },
      { appointment: moved, epoch: 'b' },
    ],
    [
      'the appointment was cancelled',
      { appointment: moved, epoch: 'a' },
      { appointment: first, epoch: 'b', currentState: 'APPOINTMENT_CANCELED' },
    ],
  ])('is not reported when %s', async (_, before, after) => {
    const { read, steps } = await openList(before)
    await read(after)
    expect(await steps()).toEqual([])
  })

  it.each<[string, Partial<Server>]>([
    ['the server says again what the device had', { appointment: later }],
    ['the applicant has booked another time', { appointment: nextWeek }],
    ['the applicant has cancelled the appointment', { currentState: 'APPOINTMENT_CANCELED' }],
  ])('is reported at each visit until %s', async (_, after) => {
    const { read, steps } = await openList({ appointment: moved, epoch: 'a' })
    await read({ appointment: first, epoch: 'b' })
    await read()
    expect(await steps()).toHaveLength(1)
    await read(after)
    expect(await steps()).toEqual([])
  })

  it('is not reported again when the applicant has pressed the button of the message', async () => {
    const { read, steps, queries } = await openList({ appointment: moved, epoch: 'a' })
    await read({ appointment: first, epoch: 'b' })
    expect(await steps()).toHaveLength(1)
    await queries.forgetLostStep('ada', 'app-1')
    await read()
    expect(await steps()).toEqual([])
  })

  it('is reported, after a second restore, with what the server has now and what the device had before the first restore', async () => {
    const { read, steps } = await openList({ appointment: later, epoch: 'a' })
    const between = { ...moved, appointmentDate: nextWeek.appointmentDate }
    await read({ appointment: between, epoch: 'b' })
    await read({ appointment: first, epoch: 'c' })
    expect(await steps()).toMatchObject([{ application: { appointment: later }, earlierAppointment: first }])
  })

  it('is reported also when the device has added a new application to its list since', async () => {
    const { read, steps, queries } = await openList({ appointment: moved, epoch: 'a' })
    const [id, applicationNumber] = [ApplicationId.parse('app-2'), ApplicationNumber.parse('PP-2')]
    await queries.rememberCreated('ada', { id, applicationNumber })
    await read({ appointment: first, epoch: 'b' })
    expect(await steps()).toMatchObject([{ id: 'app-1', earlierAppointment: first }])
  })
})

describe('a cancellation that a restore has undone (D62)', () => {
  const cancelled = {
    // The server lists the last appointment also when it is cancelled.
    appointment: moved,
    currentState: 'APPOINTMENT_CANCELED',
    epoch: 'a',
    time: '2026-06-10T08:00:00.000Z',
  }
  const again = { currentState: 'APPOINTMENT_SCHEDULED', epoch: 'b', time: '2026-06-15T08:00:00.000Z' }

  it.each<[string, object | null]>([
    ['APPOINTMENT_CANCELED', moved],
    ['READY_TO_RESCHEDULE', moved],
    // Another back end may list no cancelled appointment.
    ['APPOINTMENT_CANCELED', null],
  ])('is reported with the appointment that the server has again: %s', async (state, appointment) => {
    const { read, steps } = await openList({ ...cancelled, currentState: state, appointment })
    await read({ ...again, appointment: moved })
    await read()
    expect(await steps()).toEqual([
      {
        id: 'app-1',
        application: { applicationNumber: 'PP-1', currentState: state, appointment },
        earlierAppointment: moved,
        isPaymentLost: false,
        orders: [],
      },
    ])
  })

  it.each<[string, Partial<Server>, Partial<Server>]>([
    ['another phone has booked again since', {}, { appointment: later }],
    ['the backup has the cancellation', {}, { currentState: 'APPOINTMENT_CANCELED', appointment: moved }],
    ['nothing was restored', {}, { appointment: moved, epoch: 'a' }],
    ['the server did not say its time', { time: undefined }, { appointment: moved }],
    [
      'the server does not say when the appointment was booked',
      {},
      { appointment: { ...moved, confirmedAt: null } },
    ],
  ])('is not reported when %s', async (_, before, after) => {
    const { read, steps } = await openList({ ...cancelled, ...before })
    await read({ ...again, ...after })
    expect(await steps()).toEqual([])
  })

  it('is reported until the applicant has cancelled the appointment again', async () => {
    const { read, steps } = await openList({ ...cancelled })
    await read({ ...again, appointment: moved })
    expect(await steps()).toHaveLength(1)
    await read({ ...cancelled, epoch: 'b' })
    expect(await steps()).toEqual([])
  })

  it('is reported, after a second restore, as a cancellation: the applicant does not expect the appointment in between', async () => {
    const { read, steps } = await openList({ ...cancelled })
    await read({ ...again, appointment: moved })
    await read({ ...again, appointment: first, epoch: 'c' })
    expect(await steps()).toMatchObject([
      {
        application: { currentState: 'APPOINTMENT_CANCELED', appointment: moved },
        earlierAppointment: first,
      },
    ])
  })
})
