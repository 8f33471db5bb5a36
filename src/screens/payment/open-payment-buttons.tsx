import type { ReactNode } from 'react'
import type { ApplicationParams } from '#contract/ids.ts'
import { cancelPaymentFeature, type CancelRefusal, type PaymentAttempt } from '#contract/payment.ts'
import { formatMoment, formatTime } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServerInfo } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { obstacleKeys } from './cancel-outcome.ts'
import styles from './open-payment-buttons.module.css'
import { useCancelPayment } from './use-cancel-payment.ts'

type OpenPaymentButtonsProps = {
  params: ApplicationParams
  attempt: PaymentAttempt
  /** Why the card page of the payment does not open again; undefined until the server has refused to open it. */
  wait?: CancelRefusal | undefined
  /** The other buttons of the payment. */
  children: ReactNode
}

/**
 * The buttons of an open payment, and one that cancels the payment. If the payment cannot be cancelled yet, a press
 * shows why, when to try again, and when the payment will be closed in any case. The button to cancel is absent until
 * the server has said that it can cancel payments (D5).
 */
export function OpenPaymentButtons({ params, attempt, wait, children }: OpenPaymentButtonsProps) {
  const t = useText()
  const server = useServerInfo()
  const { busy, refusal, cancel } = useCancelPayment(params, attempt.id)
  const shown = refusal ?? wait
  const isOffered = server.value?.features.includes(cancelPaymentFeature) === true
  return (
    <>
      <ButtonRow>
        {children}
        {isOffered && (
          <Button
            ref={passFocusToHeadingOnRemoval}
            variant="secondary"
            busy={busy}
            busyLabel={t('button.busy')}
            onClick={() => void cancel()}
          >
            {t('cancelPayment.button')}
          </Button>
        )}
      </ButtonRow>
      <div aria-live="polite">
        {/* Another key: React renders a new note for the answer to a press, and the note scrolls into view. */}
        {shown && <RefusalNote key={refusal ? 'press' : 'page'} refusal={shown} attempt={attempt} />}
      </div>
    </>
  )
}

type RefusalNoteProps = { refusal: CancelRefusal; attempt: PaymentAttempt }

/** One text for both buttons of a card payment: why the page does not open again, and why the payment cannot be cancelled. */
function RefusalNote({ refusal: { why, tryAgainAt, until }, attempt }: RefusalNoteProps) {
  const t = useText()
  const language = useLanguage()
  const times = { time: formatTime(tryAgainAt, language), until: formatMoment(until, language) }
  const isCard = attempt.next === 'waiting-for-card'
  return (
    <div ref={scrollIntoView} className={styles.refusal}>
      <p>
        <strong>{t(isCard ? 'cancelPayment.cardNotNow' : 'cancelPayment.notNow')}</strong>
      </p>
      <p>{t(isCard && why === 'in-progress' ? 'cancelPayment.cardPageUsed' : obstacleKeys[why], times)}</p>
      <p>{t('cancelPayment.tryAgain', times)}</p>
    </div>
  )
}

/** On a phone the answer to the press is below the edge of the screen. */
function scrollIntoView(answer: HTMLElement | null): void {
  answer?.scrollIntoView({ block: 'nearest' })
}
