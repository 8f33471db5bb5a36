import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ApplicationParams } from '#contract/ids.ts'
import type { PaymentAttempt } from '#contract/payment.ts'
import { useText } from '#i18n/intl.ts'
import { Button, linkButtonClass } from '#ui/button.tsx'
import { OpenPaymentButtons } from './open-payment-buttons.tsx'
import { noAnswers } from './payment-answers.ts'
import { usePay } from './use-pay.ts'

type WaitingButtonsProps = {
  params: ApplicationParams
  attempt: PaymentAttempt
  /** The other buttons of the page. */
  children: ReactNode
}

/**
 * The buttons of an open payment on its own page. Where the payer acts in a browser, the first button continues the payment: it
 * leads to the entry of the operator's code, or opens the card page again. For the card page it calls `pay` with the same
 * method, which resumes the open payment (D42). Once the gateway knows the order, the card page does not open again, and
 * `wait` says what the payer can do, and until when.
 */
export function WaitingButtons({ params, attempt, children }: WaitingButtonsProps) {
  const t = useText()
  const { busy, wait, pay } = usePay(params, attempt.id)
  return (
    <OpenPaymentButtons {...{ params, attempt, wait }}>
      {attempt.next === 'waiting-for-card' && (
        <Button
          busy={busy}
          busyLabel={t('button.busy')}
          onClick={() => void pay(attempt.methodType, noAnswers)}
        >
          {t('payResult.continueCard')}
        </Button>
      )}
      {attempt.next === 'waiting-for-code' && (
        <Link
          to="/payOtp/$appId/$appNumber/$paymentId"
          params={{ ...params, paymentId: attempt.id }}
          className={linkButtonClass('primary')}
        >
          {t('payResult.enterCode')}
        </Link>
      )}
      {children}
    </OpenPaymentButtons>
  )
}
