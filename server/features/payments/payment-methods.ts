import type { MethodType } from '#contract/payment.ts'
import type { AnswerInput } from '#contract/endpoints.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'

type Method = AnswerInput<'listPaymentMethods'>['data'][number]

const providerMethods = ['MOBILE', 'CARD_UBA', 'CARD', 'BACM', 'AGGREGATOR'] as const satisfies MethodType[]
/** Listed when no aggregator is configured, or when it has no list of wallets. */
const allWallets = ['MTN-Money', 'Orange-Money', 'Express-Union', 'Yoomee-Money']

/** PAY04: a method without a configured provider is listed but not enabled. The mock exists only in the demo (S64). */
export function paymentMethods(
  { config }: Services,
  providers: PaymentProviders,
  { whitelisted }: { whitelisted: boolean },
): Method[] {
  const entry = (type: MethodType, enable: boolean): Method => ({
    type,
    enable,
    fee: config.feeAmount,
    currency: config.feeCurrency,
    methods: type === 'AGGREGATOR' ? [...(providers.AGGREGATOR?.wallets ?? allWallets)] : [],
  })
  const listed = [
    ...providerMethods.map(type => entry(type, providers[type] !== undefined)),
    ...(providers.MOCK ? [entry('MOCK', true)] : []),
  ]
  const whitelist = entry('WHITELIST', whitelisted)
  return whitelisted ? [whitelist, ...listed] : [...listed, whitelist]
}
