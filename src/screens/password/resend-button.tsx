import type { Countdown } from '#sign-in/countdown.ts'
import { useSecondsLeft } from '#sign-in/seconds-left.ts'
import { Button } from '#ui/button.tsx'
import styles from './resend-button.module.css'

type ResendButtonProps = {
  countdown: Countdown | undefined
  busy: boolean
  label: string
  waitingLabel: (seconds: number) => string
  onPress: () => void
}

/** Disabled until the countdown reaches zero (OTP05); enabled at once without a countdown. */
export function ResendButton({ countdown, busy, label, waitingLabel, onPress }: ResendButtonProps) {
  const seconds = useSecondsLeft(countdown)
  return (
    <p className={styles.resend}>
      <Button variant="secondary" disabled={seconds > 0} busy={busy} onClick={onPress}>
        {seconds > 0 ? waitingLabel(seconds) : label}
      </Button>
    </p>
  )
}
