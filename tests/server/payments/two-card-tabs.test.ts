import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import type { PaymentProvider, StartOutcome } from '#server/integrations/payment-provider.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { waitForNextMillisecond } from '#support/providers/slow-clock.ts'
import { type ApiFixture, openApiFixture } from '../api-fixture.ts'
import { createScriptedProvider } from './scripted-provider.ts'

const gateway = 'https://cards.example'
const form = { url: `${gateway}/page`, fields: [], html: undefined }

let fixture: ApiFixture
/** One function for each request for a form, the oldest first: it gives the answer of the gateway. */
let answers: ((outcome: StartOutcome) => void)[]
/** Whether the gateway answers `prepare`, which no card gateway of today needs. */
let canPrepare: boolean

const provider: PaymentProvider = {
  isCard: true,
  prepare: async () => (canPrepare ? { kind: 'prepared', reference: 'theirs' } : { kind: 'unknown' }),
  start: () => new Promise(resolve => answers.push(resolve)),
  // No payer has sent a form.
  queryStatus: async () => ({ kind: 'missing' }),
}

beforeAll(async () => {
  fixture = await openApiFixture({
    env: { CINETPAY_KEY: 'a', CINETPAY_SITE: '1', CINETPAY_PAGE_URL: form.url },
    providers: { CARD: provider, MOBILE: createScriptedProvider().provider },
  })
})
afterAll(() => fixture.close())
beforeEach(() => {
  answers = []
  canPrepare = true
})

const withForm: StartOutcome = { kind: 'accepted', reference: undefined, needsPayerCode: false, form }

/** An applicant who may pay. */
async function newPayer() {
  const applicant = await fixture.signIn()
  const applicationId = (await applicant.call('createApplication')).body?.data.id ?? ''
  await applicant.call('confirmData', { params: { id: applicationId }, body: toWire(firstPassport) })
  const query = { applicationId }
  return {
    pay: (key?: string) =>
      applicant.call('startCardPayment', { query, body: { method: 'CARD' }, ...(key && { key }) }),
    payByPhone: (phone = '237671234567') =>
      applicant.call('startMobilePayment', { query: { ...query, phone } }),
    statuses: async () =>
      (await applicant.call('listPayments', { query })).body?.data.map(each => each.paymentStatus),
  }
}

/** Presses Pay in two tabs. The gateway answers the second request with a form, and then the first one with `late`. */
async function payInTwoTabs(late: StartOutcome) {
  const { pay, statuses } = await newPayer()
  const first = pay()
  await expect.poll(() => answers.length).toBe(1)
  // An order knows its last request by the millisecond.
  await waitForNextMillisecond(fixture.services)
  const second = pay()
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.(withForm)
  expect((await second).status).toBe(200)
  answers[0]?.(late)
  expect(await first).toMatchObject({ status: 503 })
  return statuses()
}

describe('a card order, while another tab pays for the same application,', () => {
  it.each<[string, StartOutcome]>([
    ['is lost', { kind: 'unknown' }],
    ['is a refusal', { kind: 'refused', problem: 'unavailable' }],
  ])(
    'stays open for the tab that has got a form, when the answer to the other tab %s (D42, D96)',
    async (_, late) => {
      expect(await payInTwoTabs(late)).toEqual(['IN_PROGRESS'])
    },
  )

  it.each([
    ['while the first request runs', false],
    ['after the payer has got the form', true],
  ])('stays open when the gateway does not prepare the order again %s (D42)', async (_, hasForm) => {
    const { pay, statuses } = await newPayer()
    const first = pay()
    await expect.poll(() => answers.length).toBe(1)
    if (hasForm) answers[0]?.(withForm)
    if (hasForm) await first
    const { db } = fixture.services
    await db.deleteFrom('card_page').execute()
    canPrepare = false
    expect(await pay()).toMatchObject({ status: 409, refusal: { refused: 'payment-open' } })
    answers[0]?.(withForm)
    expect((await first).status).toBe(200)
    expect(await statuses()).toEqual(['IN_PROGRESS'])
    const orders = db.selectFrom('payment').select('sent_at').orderBy('created_at', 'desc')
    const { sent_at } = await orders.executeTakeFirstOrThrow()
    expect(sent_at, 'without it the server never queries the status').not.toBeNull()
  })

  it('gives its tab no form when another tab has begun to pay in another way, so that the payer does not pay twice (D42)', async () => {
    const { pay, payByPhone, statuses } = await newPayer()
    const first = pay()
    await expect.poll(() => answers.length).toBe(1)
    expect((await payByPhone()).status).toBe(200)
    expect(await statuses()).toEqual(['IN_PROGRESS', 'ERROR'])
    answers[0]?.(withForm)
    expect(await first).toMatchObject({ status: 503 })
    expect(await statuses()).toEqual(['IN_PROGRESS', 'ERROR'])
  })

  it('does not give its tab the form a second time after its answer was lost and another tab has begun to pay in another way (D13, D42)', async () => {
    const { pay, payByPhone, statuses } = await newPayer()
    const key = 'one-press-of-pay'
    const lost = pay(key)
    await expect.poll(() => answers.length).toBe(1)
    answers[0]?.(withForm)
    expect((await lost).status).toBe(200)
    expect((await pay(key)).body).toEqual((await lost).body)
    expect((await payByPhone('237671234568')).status).toBe(200)
    expect(await pay(key)).toMatchObject({ status: 409, refusal: { refused: 'payment-open' } })
    expect(await statuses()).toEqual(['IN_PROGRESS', 'ERROR'])
    expect(answers).toHaveLength(1)
  })
})
