import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'
import type { CardOrigins } from './card-addresses.ts'
import { aggregatorBody, payerNumber, type PaymentAnswers } from './payment-answers.ts'
import { cardOutcome, type PaymentOutcome, paymentOutcome, whitelistOutcome } from './payment-outcome.ts'
import type { PayableType } from './offered-methods.ts'

export type PaymentRequest = {
  type: PayableType | 'WHITELIST'
  answers: PaymentAnswers
  applicationId: ApplicationId
  /** Where a card page returns to (S40). */
  returnUrl: string
}

type StartParts = {
  request: PaymentRequest
  /** The idempotency key (D13). */
  key: string
  origins: CardOrigins
  /** Whether the server expects the method in the call that CARD and BACM share. */
  namesCardMethod: boolean
}

/** Sends the call of the payment method (API28–API31). */
export async function startPayment(
  call: Services['call'],
  { request, key, origins, namesCardMethod }: StartParts,
): Promise<PaymentOutcome> {
  const { type, answers, applicationId, returnUrl } = request
  const query = { applicationId }
  switch (type) {
    case 'MOBILE': {
      const phone = payerNumber(answers)
      const input = { query: { applicationId, phone } }
      return paymentOutcome(type, await call('startMobilePayment', input, { key }), phone)
    }
    case 'AGGREGATOR': {
      const input = { query, body: aggregatorBody(answers, applicationId) }
      const result = await call('startAggregatorPayment', input, { key })
      return paymentOutcome(type, result, input.body.phone)
    }
    case 'MOCK':
      return paymentOutcome(type, await call('startMockPayment', { query }, { key }))
    case 'CARD_UBA':
      return cardOutcome(
        type,
        await call('startUbaPayment', { query, body: { returnUrl } }, { key }),
        origins,
      )
    case 'CARD':
    case 'BACM': {
      const input = { query, body: { returnUrl, ...(namesCardMethod && { method: type }) } }
      return cardOutcome(type, await call('startCardPayment', input, { key }), origins)
    }
    case 'WHITELIST':
      return whitelistOutcome(await call('startWhitelistPayment', { query }, { key }))
  }
}
