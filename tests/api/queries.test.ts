import { afterEach, describe, expect, it, vi } from 'vitest'
import { createCall } from '#api/client.ts'
import { createQueries, createQueryClient } from '#api/queries.ts'
import { AppointmentId } from '#contract/ids.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A phone that remembers what it saw; without the line it is `alone`. */
function createQueriesOnDevice() {
  const kept = new Map<string, string>()
  const phone = { alone: false }
  const call = createCall({
    device: createFakeDevice(),
    origin: '',
    token: () => 'token',
    refreshSession: async () => false,
    onProblem: () => {},
    onReached: () => {},
  })
  const queries = createQueries(call, {
    write: async (name, value) => void kept.set(name, JSON.stringify(value)),
    read: async (name): Promise<unknown> => JSON.parse(kept.get(name) ?? 'null'),
    hasNoToken: () => phone.alone,
  })
  return Object.assign(phone, { queries })
}

// How long a place is held, and that it is, is true at the moment of the answer only.
describe('what was seen of a reservation with the line, and is looked at again without it (D41, S92)', () => {
  it('is where and when, and not how long it is held', async () => {
    const phone = createQueriesOnDevice()
    const ask = () =>
      createQueryClient().fetchQuery(phone.queries.appointment(AppointmentId.parse('a1'), 'fr'))
    const appointment = { id: 'a1', appointmentDate: '2026-12-01T09:30:00', nameOffice: 'CNPP' }

    installFakeFetch(() => ({ json: { data: { ...appointment, holdSeconds: 540 } } }))
    expect(await ask()).toMatchObject({ ...appointment, holdSeconds: 540 })
    phone.alone = true
    const later = await ask()
    expect(later).toMatchObject(appointment)
    expect(later.holdSeconds).toBeNull()
  })

  it('is the list of applications, and no place that is held for one', async () => {
    const phone = createQueriesOnDevice()
    const ask = () => createQueryClient().fetchQuery(phone.queries.applications('p1'))
    const application = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE' }
    const reservation = { id: 'a1', appointmentDate: '2026-12-01T09:30:00', holdSeconds: 540 }

    installFakeFetch(() => ({ json: { data: [{ ...application, reservation }] } }))
    expect(await ask()).toMatchObject([{ ...application, reservation }])
    phone.alone = true
    const [later] = await ask()
    expect(later).toMatchObject(application)
    expect(later?.reservation).toBeNull()
  })
})
