import type { MethodType } from '#contract/payment.ts'
import type { PaymentSettings } from '#server/config/payment-config.ts'
import { readBankWebhook } from '#server/integrations/card-bank.ts'
import { readCinetPayWebhook } from '#server/integrations/cinetpay.ts'
import { readCollectWebhook } from '#server/integrations/collect-wallet.ts'
import { readMtnWebhook } from '#server/integrations/mtn-momo.ts'
import { readOrangeWebhook } from '#server/integrations/orange-money.ts'
import type { WebhookRequest, WebhookReading } from '#server/integrations/payment-provider.ts'
import { readSmobilpayWebhook } from '#server/integrations/smobilpay.ts'

/**
 * The providers that send webhooks. A webhook counts only for orders of the provider's `method`; `read` makes its
 * reader.
 */
export const webhookSources = {
  mtn: { method: 'MOBILE', read: () => readMtnWebhook },
  orange: { method: 'MOBILE', read: () => readOrangeWebhook },
  cinetpay: { method: 'CARD', read: ({ cinetPay }) => readCinetPayWebhook(cinetPay.secret) },
  uba: { method: 'CARD_UBA', read: ({ uba }) => readBankWebhook(uba.secret) },
  bacm: { method: 'BACM', read: ({ bacm }) => readBankWebhook(bacm.secret) },
  smobilpay: {
    method: 'AGGREGATOR',
    read: ({ smobilpay }) => readSmobilpayWebhook(smobilpay.webhookSecret),
  },
  collect: { method: 'AGGREGATOR', read: ({ collect }) => readCollectWebhook(collect.secret) },
} as const satisfies Record<
  string,
  { method: MethodType; read: (settings: PaymentSettings) => (webhook: WebhookRequest) => WebhookReading }
>

export type WebhookSource = keyof typeof webhookSources

export function webhookPath(source: WebhookSource): string {
  return `/hooks/payments/${source}`
}

export function isWebhookSource(name: string): name is WebhookSource {
  return Object.hasOwn(webhookSources, name)
}
