import { useText } from '#i18n/intl.ts'
import type { Countdown } from '#portal/sign-in/countdown.ts'
import { useSecondsLeft } from '#portal/sign-in/seconds-left.ts'
import { Button } from '#ui/button.tsx'
import styles from './resend-button.module.css'

type ResendButtonProps = { countdown: Countdown | undefined; busy: boolean; onResend: () => void }

/** Waits until the countdown reaches zero (OTP05); without one there is nothing to wait for. */
export function ResendButton({ countdown, busy, onResend }: ResendButtonProps) {
  const t = useText()
  const seconds = useSecondsLeft(countdown)
  return (
    <p className={styles.resend}>
      <Button variant="secondary" disabled={seconds > 0} busy={busy} onClick={onResend}>
        {seconds > 0 ? t('password.resendIn', { seconds }) : t('password.resend')}
      </Button>
    </p>
  )
}
