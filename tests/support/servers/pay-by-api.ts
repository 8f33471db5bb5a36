import * as z from 'zod/mini'
import { type FormValues, toWire } from '#contract/application.ts'
import { apiRoot } from '#contract/codes.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { until } from './portal.ts'

/**
 * Signs in, submits the form and pays by calls, for tests that begin after the payment. Opens the list and returns the
 * number of the application.
 */
export async function openPaidApplication(
  applicant: Applicant,
  phone: string,
  form: FormValues = firstPassport,
): Promise<string> {
  const { page } = applicant
  const token = await applicant.signInByCalls(phone)
  const headers = { authorization: `Bearer ${token}` }
  const post = async (path: string, body: object = {}) =>
    toData(await (await page.request.post(`${apiRoot}${path}`, { headers, data: body })).json())

  const { id, applicationNumber } = await post('/applications')
  await post(`/applications/${id}/confirmData`, toWire({ ...form, phoneNumber: phone }))
  const payment = await post(`/payments/mock-payment-init?applicationId=${id}`)
  await until('the demonstration payment', async () => {
    const url = `${apiRoot}/payments/${payment.id}?applicationId=${id}`
    const { paymentStatus } = toData(await (await page.request.get(url, { headers })).json())
    return paymentStatus === 'SUCCESS' ? true : undefined
  })
  await page.reload()
  await applicant.heading('procedure.heading')
  return z.string().parse(applicationNumber)
}

function toData(answer: unknown): z.infer<typeof Answer>['data'] {
  return Answer.parse(answer).data
}

const Answer = z.object({
  data: z.object({
    id: z.optional(z.string()),
    applicationNumber: z.optional(z.string()),
    paymentStatus: z.optional(z.string()),
  }),
})
