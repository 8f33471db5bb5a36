import type { MethodType } from '#contract/payment.ts'
import type { PaymentSettings } from '#server/config-payments.ts'
import { readBankCallBack } from '#server/outside/card-bank.ts'
import { readCinetPayCallBack } from '#server/outside/cinetpay.ts'
import { readCollectCallBack } from '#server/outside/collect-wallet.ts'
import { readMtnCallBack } from '#server/outside/mtn-momo.ts'
import { readOrangeCallBack } from '#server/outside/orange-money.ts'
import type { CallBack, CallBackReading } from '#server/outside/payment-provider.ts'
import { readSmobilpayCallBack } from '#server/outside/smobilpay.ts'

/** Who calls back, and which payments it may speak of. */
export const callBackSources = {
  mtn: { method: 'MOBILE', read: () => readMtnCallBack },
  orange: { method: 'MOBILE', read: () => readOrangeCallBack },
  cinetpay: { method: 'CARD', read: ({ cinetPay }) => readCinetPayCallBack(cinetPay.secret) },
  uba: { method: 'CARD_UBA', read: ({ uba }) => readBankCallBack(uba.secret) },
  bacm: { method: 'BACM', read: ({ bacm }) => readBankCallBack(bacm.secret) },
  smobilpay: {
    method: 'AGGREGATOR',
    read: ({ smobilpay }) => readSmobilpayCallBack(smobilpay.webhookSecret),
  },
  collect: { method: 'AGGREGATOR', read: ({ collect }) => readCollectCallBack(collect.secret) },
} as const satisfies Record<
  string,
  { method: MethodType; read: (settings: PaymentSettings) => (callBack: CallBack) => CallBackReading }
>

export type CallBackSource = keyof typeof callBackSources

export function callBackPath(source: CallBackSource): string {
  return `/hooks/payments/${source}`
}

export function isCallBackSource(name: string): name is CallBackSource {
  return Object.hasOwn(callBackSources, name)
}
