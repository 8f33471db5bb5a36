import { useState, useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { type Countdown, secondsLeft } from '#portal/sign-in/countdown.ts'
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

/** The clock is outside of React: it ticks while somebody looks, and at once when the phone wakes up. */
function useSecondsLeft(countdown: Countdown | undefined): number {
  const { device } = useServices()
  const [ticks] = useState(() => (listener: () => void) => {
    let cancel = doNothing
    const tick = () => {
      cancel()
      cancel = device.after(500, tick)
      listener()
    }
    tick()
    const stopReturn = device.onReturn(tick)
    return () => (cancel(), stopReturn())
  })
  return useSyncExternalStore(ticks, () => (countdown ? secondsLeft(countdown, device.now()) : 0))
}

function doNothing(): void {}
