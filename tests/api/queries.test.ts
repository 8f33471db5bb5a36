import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { createQueryClient } from '#api/queries.ts'
import { ApplicationId, AppointmentId } from '#contract/ids.ts'
import { doNothing } from '#device/do-nothing.ts'
import { createQueriesOnPhone } from '#support/fixtures/queries-on-phone.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { flushPromises } from '#support/settle.ts'

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

// The server deletes an unpaid application 30 days after its start, confirmed or not (D40).
describe('the list of applications, as the device has cached it (D23, F12)', () => {
  it.each([
    [
      'still has the date of the deletion after the confirmation of the data',
      'rememberConfirmed',
      '2026-07-15',
    ],
    ['no longer has it after the payment', 'rememberPaid', null],
  ] as const)('%s', async (_, remember, deletionDate) => {
    const phone = createQueriesOnPhone({ signedInId: () => 'p1' })
    const client = createQueryClient()
    const ask = () => client.fetchQuery({ ...phone.queries.applications('p1'), staleTime: 0 })
    const currentState = remember === 'rememberPaid' ? 'DATA_SAVED' : 'NEW'
    const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState, deletionDate: '2026-07-15' }
    installFakeFetch(() => ({ json: { data: [listed] } }))
    await ask()
    await vi.waitFor(() => expect(phone.cache.size).toBe(1))
    const id = ApplicationId.parse('app-1')
    await (remember === 'rememberPaid'
      ? phone.queries.rememberPaid(client, id)
      : phone.queries.rememberConfirmed(id))
    phone.hasNoToken = true
    expect((await ask())[0]?.deletionDate).toBe(deletionDate)
  })
})

it('an answer for one applicant is not cached for the next one when the storage hangs during the change (D31)', async () => {
  let signedIn = 'ada'
  let goOn = doNothing
  const hanging = new Promise<void>(resolve => (goOn = resolve))
  const phone = createQueriesOnPhone({ signedInId: () => signedIn, waitForRead: () => hanging })
  installFakeFetch(() => ({ json: { data: [] } }))
  await createQueryClient().fetchQuery(phone.queries.applications('ada'))
  signedIn = 'ben'
  goOn()
  await flushPromises()
  expect([...phone.cache.keys()]).toEqual([])
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

  it.each(queries)('begins with its name and then has only arguments: %s', (name, query) => {
    const made: unknown = Reflect.apply(query, undefined, ['first', 'second', 'third'])
    const [first, ...given] = z.object({ queryKey: z.array(z.string()) }).parse(made).queryKey
    expect(first).toBe(name)
    expect(given).toEqual(['first', 'second', 'third'].slice(0, given.length))
  })
})
