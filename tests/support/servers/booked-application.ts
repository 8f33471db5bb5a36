import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { CallIds } from '#support/data/valid-calls.ts'
import { bodyOf, type SignedIn } from './api-client.ts'
import type { TestServer } from './test-server.ts'

/** Confirms, pays and books an application of this applicant through calls. Returns the ids of what it then has. */
export async function bookApplication(server: TestServer, owner: Pick<SignedIn, 'call'>): Promise<CallIds> {
  const { id, applicationNumber } = bodyOf(await owner.call('createApplication')).data
  const query = { applicationId: id }
  bodyOf(await owner.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  const payment = bodyOf(await owner.call('startMockPayment', { query })).data
  await server.advanceSeconds(1)
  bodyOf(await owner.call('readPayment', { params: { id: payment.id }, query }))
  const office = '1'
  const [date = ''] = bodyOf(await owner.call('listAvailableDates', { params: { officeId: office }, query }))
    .data.data
  const [time = ''] = bodyOf(
    await owner.call('listAvailableSlots', { params: { officeId: office }, query: { date } }),
  ).data.data
  const appointment = bodyOf(
    await owner.call('createAppointment', {
      body: { applicationId: id, officeId: office, appointmentDate: `${date}T${time}` },
    }),
  ).data.id
  bodyOf(await owner.call('confirmAppointment', { params: { id: appointment } }))
  const [session] = bodyOf(await owner.call('readAccount')).data.sessions
  return {
    application: id,
    number: applicationNumber,
    appointment,
    payment: payment.id,
    office,
    session: session?.id ?? '',
  }
}
