import type { PaymentOrder, PaymentProvider, Payer } from './payment-provider.ts'

export type Channel = { name: string; provider: PaymentProvider }

/**
 * Several providers behind one method. The channel is chosen once, when the order is stored, and stands in it: from
 * then on the order belongs to that provider alone.
 */
export function byChannel(
  channels: readonly [Channel, ...Channel[]],
  choose: (phone: string, payer: Payer | undefined) => string | undefined,
): PaymentProvider {
  const [first] = channels
  const named = (name: string | undefined) => channels.find(channel => channel.name === name)
  const providerOf = ({ channel }: PaymentOrder) => named(channel)?.provider
  return {
    wallets: channels.flatMap(({ provider, name }) => (provider.wallets?.includes(name) ? [name] : [])),
    channelOf: (phone, payer) => (named(choose(phone, payer)) ?? first).name,
    prepare: async order => {
      const provider = providerOf(order)
      if (provider?.prepare) return provider.prepare(order)
      return { kind: 'prepared', reference: order.paymentId }
    },
    start: async (order, payer) => providerOf(order)?.start(order, payer) ?? { kind: 'unknown' },
    status: async order => providerOf(order)?.status(order) ?? { kind: 'unknown' },
  }
}

/** MTN's and Orange's mobile prefixes in Cameroon, without the country code; the rest goes by the default. */
const prefixes: [pattern: RegExp, wallet: string][] = [
  [/^(?:237)?(?:65[0-4]|67|68[0-3])/, 'MTN MoMo'],
  [/^(?:237)?(?:640|65[5-9]|68[6-9]|69)/, 'Orange Money'],
]

/** Numbers move between operators: a prefix is a good guess and stops nobody. */
export function walletOfNumber(phone: string): string | undefined {
  return prefixes.find(([pattern]) => pattern.test(phone))?.[1]
}
