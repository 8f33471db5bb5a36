import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'

/** Remaining time of a hold, in whole minutes; `briefly` for less than one, `none` when nothing is held. */
export type HoldState =
  | { kind: 'none' }
  | { kind: 'minutes'; minutes: number }
  | { kind: 'seconds' }
  | { kind: 'expired' }

/** `holdSeconds`: the remaining seconds in the response. `elapsedMs`: time since the response, on the device's clock. */
export function holdStateAt(holdSeconds: number | null | undefined, elapsedMs: number): HoldState {
  if (holdSeconds === null || holdSeconds === undefined) return { kind: 'none' }
  const seconds = holdSeconds - elapsedMs / 1_000
  if (seconds <= 0) return { kind: 'expired' }
  return seconds < 60 ? { kind: 'seconds' } : { kind: 'minutes', minutes: Math.floor(seconds / 60) }
}

export function HoldNotice({ hold, onChooseAgain }: { hold: HoldState; onChooseAgain: () => void }) {
  const t = useText()
  switch (hold.kind) {
    case 'none':
      return null
    case 'minutes':
      return <Panel>{t('schedule.held', { minutes: hold.minutes })}</Panel>
    case 'seconds':
      return <Panel tone="warning">{t('schedule.heldBriefly')}</Panel>
    case 'expired':
      return (
        <Panel tone="warning" announce>
          <p>{t('notice.reservationExpired')}</p>
          <Button variant="secondary" onClick={onChooseAgain}>
            {t('schedule.chooseAgain')}
          </Button>
        </Panel>
      )
  }
}
