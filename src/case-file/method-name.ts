import { walletName } from '#contract/wallet-name.ts'
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
