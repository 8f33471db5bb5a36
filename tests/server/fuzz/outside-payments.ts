import type { WebhookSource } from '#server/features/payments/webhook-sources.ts'
import type { PaymentProvider, PaymentProviders } from '#server/integrations/payment-provider.ts'
import { createRandomSource } from '#support/random-source.ts'

/** The secrets with which the providers sign their webhooks. MTN and Orange sign none. */
export const webhookSecrets: Record<Exclude<WebhookSource, 'mtn' | 'orange'>, string> = {
  cinetpay: 'secret-of-cinetpay',
  uba: 'secret-of-uba',
  bacm: 'secret-of-bacm',
  smobilpay: 'secret-of-smobilpay',
  collect: 'secret-of-collect',
}

const gatewayOrigin = 'https://bank.example'

/** The settings of the accounts at all providers, as an operator sets them. */
export const providerAccounts: Record<string, string> = {
  MTN_MOMO_KEY: 'a',
  MTN_MOMO_USER: 'b',
  MTN_MOMO_API_KEY: 'c',
  ORANGE_MONEY_KEY: 'a',
  ORANGE_MONEY_SECRET: 'b',
  ORANGE_MONEY_AUTH_TOKEN: 'd',
  ORANGE_MONEY_MERCHANT: '691000000',
  ORANGE_MONEY_PIN: '1234',
  CINETPAY_KEY: 'a',
  CINETPAY_SITE: '1',
  CINETPAY_PAGE_URL: `${gatewayOrigin}/cinetpay`,
  CINETPAY_SECRET: webhookSecrets.cinetpay,
  UBA_URL: gatewayOrigin,
  UBA_PAGE_URL: `${gatewayOrigin}/uba`,
  UBA_MERCHANT: 'a',
  UBA_SECRET: webhookSecrets.uba,
  BACM_URL: gatewayOrigin,
  BACM_PAGE_URL: `${gatewayOrigin}/bacm`,
  BACM_MERCHANT: 'a',
  BACM_SECRET: webhookSecrets.bacm,
  SMOBILPAY_TOKEN: 'a',
  SMOBILPAY_SECRET: 'b',
  SMOBILPAY_WEBHOOK_SECRET: webhookSecrets.smobilpay,
  COLLECT_KEY: 'a',
  COLLECT_SECRET: webhookSecrets.collect,
}

/**
 * Creates providers with random answers. `paid`: the orders that they have reported as paid. No other order may become
 * paid, whatever a webhook says.
 */
export function createOutsidePayments(seed: number) {
  const random = createRandomSource(seed)
  const paid = new Set<string>()
  const create = (isCard: boolean): PaymentProvider => ({
    isCard,
    async start({ orderId }) {
      const form = {
        url: `${gatewayOrigin}/pay`,
        fields: [{ name: 'submit', value: orderId }],
        html: undefined,
      }
      return {
        kind: 'accepted',
        reference: `their-${orderId}`,
        needsPayerCode: random.below(3) === 0,
        ...(isCard ? { form } : {}),
      }
    },
    async queryStatus({ orderId, amount, currency }) {
      const drawn = random.below(8)
      if (drawn === 0) {
        paid.add(orderId)
        return { kind: 'success', orderId, amount, currency }
      }
      if (drawn === 1) return { kind: 'failed', reason: 'REFUSED', failure: 'refused-on-phone' }
      if (drawn === 2) throw new Error('ETIMEDOUT')
      return { kind: drawn === 3 ? 'missing' : 'pending' }
    },
    async confirmCode(_order, code) {
      return code === '1234' ? { kind: 'accepted' } : { kind: 'refused', problem: 'payment-code-wrong' }
    },
  })
  const providers: PaymentProviders = {
    MOBILE: create(false),
    AGGREGATOR: create(false),
    CARD: create(true),
    CARD_UBA: create(true),
    BACM: create(true),
    MOCK: {
      hasNoOperator: true,
      start: async () => ({ kind: 'accepted', reference: undefined, needsPayerCode: false }),
      async queryStatus({ orderId, amount, currency }) {
        paid.add(orderId)
        return { kind: 'success', orderId, amount, currency }
      },
    },
  }
  return { providers, paid }
}
