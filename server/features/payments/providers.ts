import type { Configuration } from '#server/config/config.ts'
import { switchedOn } from '#server/config/payment-config.ts'
import { byChannel, type Channel, walletOfNumber } from '#server/integrations/by-channel.ts'
import { createCardBank } from '#server/integrations/card-bank.ts'
import { createCinetPay } from '#server/integrations/cinetpay.ts'
import { createCollectWallet } from '#server/integrations/collect-wallet.ts'
import { mockPayment } from '#server/integrations/mock-payment.ts'
import { createMtnMomo } from '#server/integrations/mtn-momo.ts'
import { createOrangeMoney } from '#server/integrations/orange-money.ts'
import type { PaymentProvider, PaymentProviders } from '#server/integrations/payment-provider.ts'
import { createSmobilpay } from '#server/integrations/smobilpay.ts'
import type { Clock, Services } from '#server/calls/services.ts'
import { type WebhookSource, webhookPath } from './webhook-sources.ts'

type ProviderContext = Pick<Services, 'config' | 'clock'>

/** Creates the providers that this server may call. Credentials enable a real provider; the demo enables the mock. */
export function paymentProviders({ config, clock }: ProviderContext): PaymentProviders {
  const { cinetPay, uba, bacm } = config.payments
  const on = switchedOn(config.payments)
  const shared = sharedBy(config)
  const mobile = mobileProvider(config, clock)
  const aggregator = aggregatorProvider(config, clock)
  return {
    ...(mobile ? { MOBILE: mobile } : {}),
    ...(on.cinetPay ? { CARD: createCinetPay({ ...cinetPay, ...shared('cinetpay') }) } : {}),
    ...(on.uba ? { CARD_UBA: createCardBank({ name: 'UBA', ...uba, ...shared('uba') }) } : {}),
    ...(on.bacm ? { BACM: createCardBank({ name: 'Banque Atlantique', ...bacm, ...shared('bacm') }) } : {}),
    ...(aggregator ? { AGGREGATOR: aggregator } : {}),
    ...(config.paymentMethods.includes('MOCK') ? { MOCK: mockPayment(clock) } : {}),
  }
}

/**
 * Chooses the wallet by the payer's number. A number of an unknown operator, or of one whose wallet is not configured,
 * goes to the wallet of `otherNumbers`, or to the only wallet.
 */
function mobileProvider(config: Configuration, clock: Clock): PaymentProvider | undefined {
  const { mtn, orange, otherNumbers } = config.payments
  const on = switchedOn(config.payments)
  const shared = sharedBy(config)
  const now = () => clock.now()
  const wallets: (Channel & { source: WebhookSource })[] = []
  if (on.mtn)
    wallets.push({
      source: 'mtn',
      name: 'MTN MoMo',
      provider: createMtnMomo({ ...mtn, ...shared('mtn') }, now),
    })
  if (on.orange)
    wallets.push({
      source: 'orange',
      name: 'Orange Money',
      provider: createOrangeMoney({ ...orange, ...shared('orange') }, now),
    })
  const takesOtherNumbers = ({ source }: { source: WebhookSource }) => source === otherNumbers
  const fallback = wallets.find(takesOtherNumbers) ?? wallets[0]
  if (fallback === undefined) return undefined
  const hasProvider = (wallet: string | undefined) => wallets.some(({ name }) => name === wallet)
  return byChannel(wallets, phone => {
    const wallet = walletOfNumber(phone)
    return hasProvider(wallet) ? wallet : fallback.name
  })
}

/**
 * Smobilpay, if it is configured, gets the orders of its wallets. The collect aggregator, if it is configured, gets
 * those of its other wallets.
 */
function aggregatorProvider(config: Configuration, clock: Clock): PaymentProvider | undefined {
  const { smobilpay, collect } = config.payments
  const on = switchedOn(config.payments)
  const shared = sharedBy(config)
  const providers = [
    ...(on.smobilpay ? [createSmobilpay({ ...smobilpay, ...shared('smobilpay') }, () => clock.now())] : []),
    ...(on.collect
      ? [createCollectWallet({ ...collect, ...shared('collect'), returnTo: config.publicOrigin })]
      : []),
  ]
  const channels = new Map<string, PaymentProvider>()
  for (const provider of providers)
    for (const wallet of provider.wallets ?? []) if (!channels.has(wallet)) channels.set(wallet, provider)
  if (channels.size === 0) return undefined
  const named = [...channels].map(([name, provider]) => ({ name, provider }))
  return byChannel(named, (_phone, payer) => payer?.paymentMethod)
}

function sharedBy({ publicOrigin, payments }: Configuration) {
  return (source: WebhookSource) => ({
    webhookUrl: `${publicOrigin}${webhookPath(source)}`,
    timeoutMs: payments.timeoutMs,
  })
}
