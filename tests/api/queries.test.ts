import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { createQueryClient } from '#api/queries.ts'
import { AppointmentId } from '#contract/ids.ts'
import { createQueriesOnPhone } from '#support/fixtures/queries-on-phone.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

// A proxy may answer 404 while the service is well.
describe('a booking that the device has cached (D37)', () => {
  it.each([
    ['stays', 'of something between', undefined, { nameOffice: 'CNPP' }],
    ['goes', 'of the service', 'not-found', undefined],
  ])('%s after a 404 %s', async (_, __, reason, expected) => {
    const { queries } = createQueriesOnPhone()
    const id = AppointmentId.parse('a1')
    // Without the retry, which comes a second later.
    const ask = () => createQueryClient().fetchQuery({ ...queries.appointment(id, 'fr'), retry: false })
    const appointment = { id: 'a1', appointmentDate: '2026-12-01T09:30:00', nameOffice: 'CNPP' }
    installFakeFetch(() => ({ json: { data: appointment } }))
    await ask()
    installFakeFetch(() => ({ status: 404, json: { statusCode: 404, reason } }))
    await expect(ask()).rejects.toThrow('refused')
    installFakeFetch(() => 'no connection')
    const cached = await ask().catch(() => undefined)
    expect(cached && { nameOffice: cached.nameOffice }).toEqual(expected)
  })
})

// Whether a place is held, and for how long, is true only at the time of the answer.
describe('the answer about a reservation, as the device has cached it (D41, S92)', () => {
  it('has the office and the time, but not the remaining time of the hold', async () => {
    const phone = createQueriesOnPhone()
    const ask = () =>
      createQueryClient().fetchQuery(phone.queries.appointment(AppointmentId.parse('a1'), 'fr'))
    const appointment = { id: 'a1', appointmentDate: '2026-12-01T09:30:00', nameOffice: 'CNPP' }

    installFakeFetch(() => ({ json: { data: { ...appointment, holdSeconds: 540 } } }))
    expect(await ask()).toMatchObject({ ...appointment, holdSeconds: 540 })
    phone.hasNoToken = true
    const cached = await ask()
    expect(cached).toMatchObject(appointment)
    expect(cached.holdSeconds).toBeNull()
  })

  it('has the list of applications, but no held place', async () => {
    const phone = createQueriesOnPhone()
    const ask = () => createQueryClient().fetchQuery(phone.queries.applications('p1'))
    const application = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE' }
    const reservation = { id: 'a1', appointmentDate: '2026-12-01T09:30:00', holdSeconds: 540 }

    installFakeFetch(() => ({ json: { data: [{ ...application, reservation }] } }))
    expect(await ask()).toMatchObject([{ ...application, reservation }])
    phone.hasNoToken = true
    const [cached] = await ask()
    expect(cached).toMatchObject(application)
    expect(cached?.reservation).toBeNull()
  })
})

// `keyOf()` relies on it.
describe('the key of each query', () => {
  const automaticReads = ['readAtReturn', 'readFailed', 'readPersonal']
  const others = [
    ...automaticReads,
    'keyOf',
    'cachedBooking',
    'forgetLostStep',
    'rememberCreated',
    'rememberBooked',
    'rememberConfirmed',
    'rememberPaid',
  ]
  const queries = Object.entries(createQueriesOnPhone().queries).filter(([name]) => !others.includes(name))

  it.each(queries)('begins with its name and then has its arguments: %s', (name, query) => {
    const made: unknown = Reflect.apply(query, undefined, ['first', 'second', 'third'])
    const [first, ...given] = z.object({ queryKey: z.array(z.string()) }).parse(made).queryKey
    expect(first).toBe(name)
    expect(given).toEqual(['first', 'second', 'third'].slice(0, given.length))
  })
})
