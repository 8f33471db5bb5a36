import type { Page, Route } from 'playwright-core'
import { methodTypes, type PaymentAttempt } from '#contract/payment.ts'

export const fee = { fee: 110_000, currency: 'XAF' }
export const payment = {
  id: 'pay-1',
  orderId: 'PO-2026-000001',
  paymentStatus: 'IN_PROGRESS',
  amount: 110_000,
  currency: 'XAF',
  needOtp: false,
  phoneNumber: '237671234567',
}

/** One entry of each type that has a tile. */
export const everyMethod = methodTypes
  .filter(type => type !== 'WHITELIST')
  .map(type => ({
    type,
    enable: true,
    ...fee,
    methods: type === 'AGGREGATOR' ? ['Orange-Money', 'Yoomee-Money', { name: 'Express-Union' }] : null,
  }))

/** What the service answers to the calls of payment, in place of the real one; the newest word counts. */
export function createPaymentDesk(page: Page) {
  const answers = new Map<string, { status?: number; json: object }>()
  const asked: { path: string; query: string; body: string | null }[] = []
  const give = (path: string, json: object, status = 200) => answers.set(path, { status, json })

  async function answer(route: Route) {
    const { pathname, search } = new URL(route.request().url())
    const path = pathname.replace('/api/v1/payments', '')
    const given = answers.get(path)
    asked.push({ path, query: search, body: route.request().postData() })
    if (given) await route.fulfill(given)
    else await route.continue()
  }

  give('/payment-methods', {
    data: [
      ...everyMethod.map(method => ({ ...method, enable: method.type !== 'BACM' })),
      { type: 'SEASHELLS', enable: true, ...fee },
    ],
  })
  return {
    give,
    asked,
    /** From now on the service answers itself. */
    leave: () => answers.clear(),
    open: () =>
      page.route('**/api/v1/payments**', answer).then(() => page.route('**/api/v1/payments/**', answer)),
  }
}

/** An attempt of the case file; on the way unless `rest` says otherwise. */
export function attempt(rest: Partial<Record<keyof PaymentAttempt, string | null>>) {
  const state = rest.state ?? 'IN_PROGRESS'
  return {
    id: 'pay-1',
    orderNumber: 'PO-2026-000001',
    methodType: 'MOBILE',
    method: 'Orange Money',
    createdAt: '2026-06-15T09:05:00Z',
    updatedAt: '2026-06-15T09:06:00Z',
    amount: 110_000,
    currency: 'XAF',
    operatorReference: 'MP260615.1005.A12345',
    state,
    history: [
      { state: 'IN_PROGRESS', at: '2026-06-15T09:05:00Z' },
      ...(state === 'IN_PROGRESS' ? [] : [{ state, at: '2026-06-15T09:06:00Z' }]),
    ],
    next: 'waiting-for-approval',
    nextAt: state === 'IN_PROGRESS' ? '2026-06-15T09:10:00Z' : null,
    ...rest,
  }
}
