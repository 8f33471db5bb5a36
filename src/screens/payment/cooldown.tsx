import { useText } from '#i18n/intl.ts'
import type { Countdown } from '#sign-in/countdown.ts'
import { useSecondsLeft } from '#sign-in/seconds-left.ts'
import { Panel } from '#ui/panel.tsx'

/**
 * Says that the mobile operator would refuse a second payment now, and counts down to when it accepts one. Screen
 * readers announce the reason, not each second.
 */
export function Cooldown({ countdown }: { countdown: Countdown }) {
  const t = useText()
  const seconds = useSecondsLeft(countdown)
  return (
    <>
      <Panel tone="warning" announce heading={t('payment.tooSoon')}>
        <p>{t('payment.tooSoonText')}</p>
      </Panel>
      <p>
        <strong>{seconds > 0 ? t('payment.tooSoonWait', { seconds }) : t('payment.tooSoonOver')}</strong>
      </p>
    </>
  )
}
