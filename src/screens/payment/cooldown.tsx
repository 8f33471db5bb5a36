import { useText } from '#i18n/intl.ts'
import type { Countdown } from '#sign-in/countdown.ts'
import { useSecondsLeft } from '#sign-in/seconds-left.ts'
import { Panel } from '#ui/panel.tsx'

/**
 * Says that the mobile operator would refuse a second payment now, and counts down to when it accepts one. Screen
 * readers announce the reason and the end, not each second.
 */
export function Cooldown({ countdown }: { countdown: Countdown }) {
  const t = useText()
  const seconds = useSecondsLeft(countdown)
  if (seconds === 0) return <Panel announce>{t('payment.tooSoonOver')}</Panel>
  return (
    <>
      <Panel tone="warning" announce heading={t('payment.tooSoon')}>
        <p>{t('payment.tooSoonText')}</p>
      </Panel>
      <p>
        <strong>{t('payment.tooSoonWait', { seconds })}</strong>
      </p>
    </>
  )
}
