import { type MessageKey, useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { Captcha } from './captcha.tsx'
import type { Countdown } from './countdown.ts'
import { useSecondsLeft } from './seconds-left.ts'
import type { CodeRequest } from './use-code-request.ts'
import styles from './resend-code.module.css'

type ResendCodeProps = {
  countdown: Countdown | undefined
  request: CodeRequest
  /** Sends the request. `captchaAnswer`: the answer to the captcha, if the applicant has just solved one. */
  onResend: (captchaAnswer?: string) => Promise<void>
  label?: MessageKey
  waitingLabel?: MessageKey
}

/**
 * The button that requests a code again. Below it, `Captcha` shows what the server demands after a press: a captcha, or the
 * time until the next code. A solved captcha sends the request.
 */
export function ResendCode({ request, onResend, ...button }: ResendCodeProps) {
  return (
    <>
      <ResendButton busy={request.busy} onPress={() => void onResend()} {...button} />
      {request.captcha && (
        <Captcha
          demand={request.captcha}
          onSolved={answer => {
            request.solve(answer)
            void onResend(answer)
          }}
        />
      )}
    </>
  )
}

type ResendButtonProps = Pick<ResendCodeProps, 'countdown' | 'label' | 'waitingLabel'> & {
  busy: boolean
  onPress: () => void
}

/** Ignores presses until the countdown reaches zero (OTP05), but keeps the focus; enabled at once without a countdown. */
function ResendButton({
  countdown,
  busy,
  label = 'password.resend',
  waitingLabel = 'password.resendIn',
  onPress,
}: ResendButtonProps) {
  const t = useText()
  const seconds = useSecondsLeft(countdown)
  return (
    <p className={styles.resend}>
      <Button variant="secondary" aria-disabled={seconds > 0} busy={busy} onClick={onPress}>
        {seconds > 0 ? t(waitingLabel, { seconds }) : t(label)}
      </Button>
    </p>
  )
}
