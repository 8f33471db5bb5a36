import type { Payment, PaymentAttempt } from '#contract/payment.ts'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { SummaryList, type SummaryRow } from '#ui/summary-list.tsx'

type PaymentFactsProps = {
  number: string
  /** A payment names its order `orderId`, an attempt of the list `orderNumber`. */
  payment:
    | (Pick<Payment, 'amount' | 'currency'> &
        Partial<Pick<Payment, 'orderId'> & Pick<PaymentAttempt, 'orderNumber'>>)
    | undefined
}

/** What the payer pays: the number of the application, and once the payment is known its amount and its order (PAY25). */
export function PaymentFacts({ number, payment }: PaymentFactsProps) {
  const t = useText()
  const language = useLanguage()
  const rows: SummaryRow[] = [{ term: t('payResult.number'), value: number, isLong: true }]
  if (payment) {
    rows.push({ term: t('payResult.sum'), value: formatAmount(payment.amount, payment.currency, language) })
    const order = payment.orderId ?? payment.orderNumber
    if (order) rows.push({ term: t('payResult.order'), value: order, isLong: true })
  }
  return <SummaryList rows={rows} />
}
