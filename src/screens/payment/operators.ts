import { homeDialCode } from '#contract/codes.ts'
import { operatorPrefixes } from '#contract/operators.ts'
import { walletName } from '#contract/wallet-name.ts'

/**
 * What the portal knows of a mobile operator. `ranges`: its prefixes as the applicant reads them, with a word joiner after
 * each dash, so that no line ends inside a range (D134).
 */
export type Operator = {
  /** The name of its wallet, as `walletName` writes it. */
  name: string
  /** The payer dials it to find a payment that waits, when no message came. */
  dial: string
  ranges: string
  prefixes: RegExp
}

/** The operators whose wallets the mobile payment uses. */
export const operators: readonly Operator[] = [
  {
    name: 'MTN MoMo',
    dial: '*126#',
    ranges: '67, 650–\u2060654, 680–\u2060683',
    prefixes: operatorPrefixes.mtn,
  },
  {
    name: 'Orange Money',
    dial: '#150*50#',
    ranges: '69, 640, 655–\u2060659, 686–\u2060689',
    prefixes: operatorPrefixes.orange,
  },
]

/** Returns the operator of a payment: by the wallet if the server names one, else by the number; undefined when unknown. */
export function operatorOf({ method, phone }: { method: string; phone: string }): Operator | undefined {
  if (method !== '') return operators.find(({ name }) => firstWord(name) === firstWord(walletName(method)))
  if (!phone.startsWith(homeDialCode)) return undefined
  return operators.find(({ prefixes }) => prefixes.test(phone.slice(homeDialCode.length)))
}

/** A back end may name a wallet otherwise, as "MTN Mobile Money". */
function firstWord(text: string): string | undefined {
  return text.split(' ')[0]
}
