import type { Appointment } from '#contract/appointment.ts'
import { useText } from '#i18n/intl.ts'
import { heldMs } from '#summary/held-ms.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'

/** What the screen says about a hold: the whole minutes that remain; `seconds` for less than one; `none`: nothing. */
export type HoldState =
  | { kind: 'none' }
  | { kind: 'minutes'; minutes: number }
  | { kind: 'seconds' }
  | { kind: 'expired' }

/**
 * Returns what the screen says about the hold. A reservation in the general queue holds no place, so only its end matters.
 * `elapsedMs`: time since the response.
 */
export function holdOf(
  { appointmentDate, holdSeconds }: Pick<Appointment, 'appointmentDate' | 'holdSeconds'>,
  elapsedMs: number,
): HoldState {
  if (holdSeconds === null || holdSeconds === undefined) return { kind: 'none' }
  const leftMs = heldMs(holdSeconds, elapsedMs)
  if (leftMs === 0) return { kind: 'expired' }
  if (!appointmentDate) return { kind: 'none' }
  const minutes = Math.floor(leftMs / 60_000)
  return minutes === 0 ? { kind: 'seconds' } : { kind: 'minutes', minutes }
}

export function HoldNotice({ hold, onChooseAgain }: { hold: HoldState; onChooseAgain: () => void }) {
  const t = useText()
  if (hold.kind === 'none') return null
  if (hold.kind === 'minutes') return <Panel>{t('schedule.held', { minutes: hold.minutes })}</Panel>
  const isOver = hold.kind === 'expired'
  // The key renders a new panel, so that screen readers announce both the last minute (WCAG 2.2.1) and the end.
  return (
    <Panel key={hold.kind} tone="warning" announce>
      <p>{t(isOver ? 'notice.reservationExpired' : 'schedule.heldBriefly')}</p>
      {isOver && <Button onClick={onChooseAgain}>{t('schedule.chooseAgain')}</Button>}
    </Panel>
  )
}
