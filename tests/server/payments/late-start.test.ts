import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import type { PaymentProvider, ProviderStatus, StartOutcome } from '#server/integrations/payment-provider.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { type ApiFixture, openApiFixture } from '../api-fixture.ts'

/** A wallet that asks for a code. It answers an order only when the test lets it. */
let status: ProviderStatus
let answerStart: (outcome: StartOutcome) => void = doNothing
const wallet: PaymentProvider = {
  start: () =>
    new Promise(resolve => {
      answerStart = resolve
    }),
  queryStatus: async () => status,
  confirmCode: async (_, code) =>
    code === '4711' ? { kind: 'accepted' } : { kind: 'refused', problem: 'payment-code-wrong' },
}

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture({ providers: { MOBILE: wallet } })
})
afterAll(() => fixture.close())

let payers = 0

/** One tab presses Pay and waits; another one polls and sends codes. */
async function openTabs() {
  status = { kind: 'pending', needsPayerCode: true }
  payers += 1
  const applicant = await fixture.signIn()
  const applicationId = (await applicant.call('createApplication')).body?.data.id ?? ''
  await applicant.call('confirmData', { params: { id: applicationId }, body: toWire(firstPassport) })
  const query = { applicationId }
  const phone = `23767123456${payers}`
  const first = applicant.call('startMobilePayment', { query: { ...query, phone } })
  const stored = () =>
    fixture.db.selectFrom('payment').select(['id', 'sent_at']).where('application_id', '=', applicationId)
  await expect.poll(async () => (await stored().executeTakeFirst())?.sent_at).toBeInstanceOf(Date)
  const { id } = await stored().executeTakeFirstOrThrow()
  return {
    enterCode: async (otp: string) =>
      (await applicant.call('confirmPayment', { params: { id }, body: { otp } })).status,
    poll: async () => {
      // A poll queries the status only when the last query is more than 2 s old.
      const before = sql<Date>`now() - interval '1 minute'`
      await fixture.db
        .updateTable('payment')
        .set({ created_at: before, asked_at: before })
        .where('id', '=', id)
        .execute()
      return (await applicant.call('readPayment', { params: { id }, query })).body?.data
    },
    /** The provider answers the first tab. Returns what a poll then says. */
    endStart: async (outcome: StartOutcome) => {
      answerStart(outcome)
      await first
      return (await applicant.call('readPayment', { params: { id }, query })).body?.data
    },
  }
}

const asksForCode = { kind: 'accepted', reference: 'r', needsPayerCode: true } as const

it('a late answer to an order that says nothing of a code does not end the wait for the code that another tab asks for (PAY18, D42)', async () => {
  const { enterCode, poll, endStart } = await openTabs()
  expect(await poll()).toMatchObject({ needOtp: true })
  expect(await enterCode('0000')).toBe(400)
  expect(await endStart({ kind: 'unknown' })).toMatchObject({ needOtp: true })
  expect(await enterCode('4711')).toBe(200)
})

it('a late answer to an order does not ask again for a code that was sent from another tab (PAY18, D42)', async () => {
  const { enterCode, poll, endStart } = await openTabs()
  await poll()
  expect(await enterCode('4711')).toBe(200)
  expect(await endStart(asksForCode)).toMatchObject({ paymentStatus: 'IN_PROGRESS', needOtp: false })
})

it('a late answer to an order does not ask for a code after the order has ended (PAY18, D42)', async () => {
  const { poll, endStart } = await openTabs()
  status = { kind: 'failed', reason: 'EXPIRED', failure: 'expired' }
  expect(await poll()).toMatchObject({ paymentStatus: 'ERROR' })
  expect(await endStart(asksForCode)).toMatchObject({ paymentStatus: 'ERROR', needOtp: false })
})
