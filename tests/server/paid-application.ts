import { type FormValues, toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn } from '#support/servers/api-client.ts'
import type { TestServer } from '#support/servers/test-server.ts'

export type PaidApplication = { applicationId: string; number: string }

/**
 * Creates, confirms and pays an application through the API, by the demo payment. Advances the clock of the server by
 * 10 s or more. @throws when the payment has not succeeded after 100 s of this clock.
 */
export async function createPaidApplication(
  server: TestServer,
  applicant: SignedIn,
  form: FormValues = firstPassport,
): Promise<PaidApplication> {
  const { id, applicationNumber } = bodyOf(await applicant.call('createApplication')).data
  bodyOf(await applicant.call('confirmData', { params: { id }, body: toWire(form) }))
  const payment = bodyOf(await applicant.call('startMockPayment', { query: { applicationId: id } })).data
  for (let poll = 0; poll < 10; poll += 1) {
    server.clock.advanceSeconds(10)
    const request = { params: { id: payment.id }, query: { applicationId: id } }
    const { paymentStatus } = bodyOf(await applicant.call('readPayment', request)).data
    if (paymentStatus === 'SUCCESS') return { applicationId: id, number: applicationNumber }
  }
  throw new Error('The demo payment did not succeed')
}

/**
 * Returns a free time of an office, `YYYY-MM-DDTHH:MM:SS`: the first time of the seventh free day, so that a booked
 * appointment is far enough away to be changed.
 */
export async function findFreeTime(
  applicant: SignedIn,
  applicationId: string,
  officeId = '1',
): Promise<string> {
  const office = { params: { officeId } }
  const dates = bodyOf(await applicant.call('listAvailableDates', { ...office, query: { applicationId } }))
    .data.data
  const date = dates[6] ?? ''
  const slots = bodyOf(await applicant.call('listAvailableSlots', { ...office, query: { date } })).data.data
  return `${date}T${slots[0] ?? ''}`
}
