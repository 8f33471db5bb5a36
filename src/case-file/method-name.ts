import type { PaymentAttempt } from '#contract/payment.ts'
import type { Translate } from '#i18n/intl.ts'

/** Returns the method as its tile names it, with the wallet or gateway: `Mobile money (MTN MoMo)`. */
export function methodName(
  t: Translate,
  { methodType, method }: Pick<PaymentAttempt, 'methodType' | 'method'>,
): string {
  const name = t(`method.${methodType}`)
  return method === '' ? name : `${name} (${walletName(method)})`
}

/** Returns the wallet or gateway as people write it: the API calls a wallet `Orange-Money`. */
export function walletName(method: string): string {
  return method.replaceAll('-', ' ')
}
