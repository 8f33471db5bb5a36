import type { FailureReason } from '#contract/payment-failure.ts'
import type { PaymentStatus } from '#contract/payment.ts'
import { useText } from '#i18n/intl.ts'
import { failureWords } from '#case-file/failure-words.ts'
import { Panel } from '#ui/panel.tsx'

type PaymentEndingProps = {
  status: PaymentStatus
  /** Why the payment failed; undefined when the server does not say. */
  failure?: FailureReason | undefined
  /** The number of the order that paid for the application, when it is not the order of this page. */
  order?: string
}

/** Says how the payment ended (PAY28), and after a failure why and what to do. */
export function PaymentEnding({ status, failure, order }: PaymentEndingProps) {
  const t = useText()
  const isPaid = status === 'SUCCESS'
  return (
    <div data-status={status}>
      <Panel tone={isPaid ? 'success' : 'danger'} heading={t(`status.${status}`)} drawn={isPaid} announce>
        {order !== undefined && <p>{t('payResult.paidBy', { order })}</p>}
        {isPaid ? <p>{t('payResult.oneStepLeft')}</p> : <FailureText failure={failure} />}
      </Panel>
    </div>
  )
}

/** The reason of a failure and the advice that belongs to it. */
export function FailureText({ failure }: { failure: FailureReason | undefined }) {
  const t = useText()
  if (failure === undefined) return null
  const { why, next } = failureWords[failure]
  return (
    <>
      <p>
        <strong>{t(why)}</strong>
      </p>
      <p>{t(next)}</p>
    </>
  )
}
