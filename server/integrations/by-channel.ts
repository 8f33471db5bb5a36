import type { PaymentOrder, PaymentProvider, Payer } from './payment-provider.ts'

export type Channel = { name: string; provider: PaymentProvider }

/**
 * Combines several providers into one payment method. The channel is chosen once and stored with the order. After that
 * only this channel's provider handles the order.
 */
export function byChannel(
  channels: readonly [Channel, ...Channel[]],
  choose: (phone: string, payer: Payer | undefined) => string | undefined,
): PaymentProvider {
  const [first] = channels
  const findChannel = (name: string | undefined) => channels.find(channel => channel.name === name)
  const providerOf = ({ channel }: PaymentOrder) => findChannel(channel)?.provider
  return {
    wallets: channels.flatMap(({ provider, name }) => (provider.wallets?.includes(name) ? [name] : [])),
    channelOf: (phone, payer) => (findChannel(choose(phone, payer)) ?? first).name,
    prepare: async order => {
      const provider = providerOf(order)
      if (provider?.prepare) return provider.prepare(order)
      return { kind: 'prepared', reference: order.paymentId }
    },
    start: async (order, payer) => providerOf(order)?.start(order, payer) ?? { kind: 'unknown' },
    confirmCode: async (order, code) => providerOf(order)?.confirmCode?.(order, code) ?? { kind: 'unknown' },
    status: async order => providerOf(order)?.status(order) ?? { kind: 'unknown' },
  }
}

/** The mobile prefixes of MTN and Orange in Cameroon, with an optional country code. Other numbers use the default. */
const prefixes: [pattern: RegExp, wallet: string][] = [
  [/^(?:237)?(?:65[0-4]|67|68[0-3])/, 'MTN MoMo'],
  [/^(?:237)?(?:640|65[5-9]|68[6-9]|69)/, 'Orange Money'],
]

/** Guesses the wallet from the prefix. The guess may be wrong, because a number can move to another operator. */
export function walletOfNumber(phone: string): string | undefined {
  return prefixes.find(([pattern]) => pattern.test(phone))?.[1]
}
