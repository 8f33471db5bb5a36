import type { Payment } from '#contract/payment.ts'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { Section } from '#ui/page.tsx'
import { SummaryList, type SummaryRow } from '#ui/summary-list.tsx'

/** The status, the number (`orderId`) when the payment has one, and the amount (FIN10, S63). */
export function PaymentSection({ payment }: { payment: Payment }) {
  const t = useText()
  const language = useLanguage()
  const rows: SummaryRow[] = [
    { term: t('final.paymentStatus'), value: t(`status.${payment.paymentStatus}`) },
    { term: t('final.paymentNumber'), value: payment.orderId ?? '', isLong: true },
    {
      term: t('final.paymentAmount'),
      value: formatAmount(payment.amount, payment.currency, language),
    },
  ]
  return (
    <Section headingId="payment-heading" heading={t('section.payment')}>
      <SummaryList rows={rows.filter(({ value }) => value !== '')} />
    </Section>
  )
}
