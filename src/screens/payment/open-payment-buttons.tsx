import type { ReactNode } from 'react'
import type { ApplicationId, ApplicationNumber, PaymentId } from '#contract/ids.ts'
import { cancelPaymentFeature, type CancelRefusal } from '#contract/payment.ts'
import { formatMoment, formatTime } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServerInfo } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { passFocusToHeading } from '#ui/move-focus.ts'
import { obstacleKeys } from './cancel-outcome.ts'
import styles from './open-payment-buttons.module.css'
import { useCancelPayment } from './use-cancel-payment.ts'

type OpenPaymentButtonsProps = {
  params: { appId: ApplicationId; appNumber: ApplicationNumber }
  paymentId: PaymentId
  /** The buttons that go on with the payment. */
  children: ReactNode
}

/**
 * The buttons of an open payment, and one that cancels the payment. After a press, if it cannot be cancelled yet, says why,
 * when to try again, and when it will be closed in any case. Without the call on the server, the button to cancel is absent
 * (D5).
 */
export function OpenPaymentButtons({ params, paymentId, children }: OpenPaymentButtonsProps) {
  const t = useText()
  const server = useServerInfo()
  const { busy, refusal, cancel } = useCancelPayment(params, paymentId)
  const isOffered = server.value?.features.includes(cancelPaymentFeature) === true
  return (
    <>
      <ButtonRow>
        {children}
        {isOffered && (
          <Button
            ref={passFocusToHeading}
            variant="secondary"
            busy={busy}
            busyLabel={t('button.busy')}
            onClick={() => void cancel()}
          >
            {t('cancelPayment.button')}
          </Button>
        )}
      </ButtonRow>
      <div aria-live="polite">{refusal && <NotNow refusal={refusal} />}</div>
    </>
  )
}

function NotNow({ refusal: { why, tryAgainAt, until } }: { refusal: CancelRefusal }) {
  const t = useText()
  const language = useLanguage()
  const times = { time: formatTime(tryAgainAt, language), until: formatMoment(until, language) }
  return (
    <div className={styles.notNow}>
      <p>
        <strong>{t('cancelPayment.notNow')}</strong>
      </p>
      <p>{t(obstacleKeys[why])}</p>
      <p>{t('cancelPayment.tryAgain', times)}</p>
    </div>
  )
}
