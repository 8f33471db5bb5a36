import { operatorPrefixes } from '#contract/operators.ts'
import type { PaymentOrder, PaymentProvider, Payer } from './payment-provider.ts'

/** A wallet or a gateway of a payment method. */
export type Channel = { name: string; provider: PaymentProvider }

/**
 * Combines several providers into one payment method. The channel is chosen once and stored with the order. After that
 * only this channel's provider handles the order. `choose` returns the name of the channel; the order is refused when it
 * returns undefined, or a name that is not in `channels`.
 */
export function byChannel(
  channels: readonly Channel[],
  choose: (phone: string, payer: Payer | undefined) => string | undefined,
): PaymentProvider {
  const findChannel = (name: string | undefined) => channels.find(channel => channel.name === name)
  const providerOf = ({ channel }: PaymentOrder) => findChannel(channel)?.provider
  return {
    wallets: channels.flatMap(({ provider, name }) => (provider.wallets?.includes(name) ? [name] : [])),
    channelOf: (phone, payer) => findChannel(choose(phone, payer))?.name,
    prepare: async order => {
      const provider = providerOf(order)
      if (provider?.prepare) return provider.prepare(order)
      // Without a `prepare` of its own, the payment's id stands in for the reference until `start` gives one.
      return { kind: 'prepared', reference: order.paymentId }
    },
    start: async (order, payer) => providerOf(order)?.start(order, payer) ?? { kind: 'unknown' },
    confirmCode: async (order, code) => providerOf(order)?.confirmCode?.(order, code) ?? { kind: 'unknown' },
    queryStatus: async order => providerOf(order)?.queryStatus(order) ?? { kind: 'unknown' },
  }
}

/** The prefixes of each wallet's numbers. */
const prefixes: [pattern: RegExp, wallet: string][] = [
  [operatorPrefixes.mtn, 'MTN MoMo'],
  [operatorPrefixes.orange, 'Orange Money'],
]

/** Guesses the wallet from the prefix of a number, with or without the country code. Undefined for other prefixes. */
export function walletOfNumber(phone: string): string | undefined {
  const national = phone.replace(/^237/, '')
  return prefixes.find(([pattern]) => pattern.test(national))?.[1]
}
