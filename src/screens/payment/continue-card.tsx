import type { ApplicationId, ApplicationNumber } from '#contract/ids.ts'
import type { PaymentAttempt } from '#contract/payment.ts'
import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { noAnswers } from './payment-answers.ts'
import { usePay } from './use-pay.ts'

type ContinueCardProps = {
  params: { appId: ApplicationId; appNumber: ApplicationNumber }
  attempt: PaymentAttempt
}

/** Opens the card page of an open payment again: a Pay by the same card method resumes the payment (D42). */
export function ContinueCard({ params, attempt }: ContinueCardProps) {
  const t = useText()
  const { busy, pay } = usePay(params, attempt.id)
  return (
    <Button busy={busy} busyLabel={t('button.busy')} onClick={() => void pay(attempt.methodType, noAnswers)}>
      {t('payResult.continueCard')}
    </Button>
  )
}
