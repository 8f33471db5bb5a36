import { useText } from '#i18n/intl.ts'
import { FinalBooking } from '#summary/final-booking.tsx'
import { Button } from '#ui/button.tsx'
import type { FinalChoice } from './final-choice.ts'

type FinalChoicePanelProps = {
  choice: FinalChoice
  /** Moves the focus to the field of the day, and selects this day if there is one. */
  onOtherDate: (day: string | undefined) => void
}

/**
 * Says above Confirm that the appointment cannot be changed or cancelled later (D43). When the chosen time is the reason, a
 * button leads to another date.
 */
export function FinalChoicePanel({ choice, onOtherDate }: FinalChoicePanelProps) {
  const t = useText()
  return (
    <FinalBooking announce>
      {choice.kind === 'time' && (
        <Button variant="secondary" onClick={() => onOtherDate(choice.laterDay)}>
          {t('appointment.otherDate')}
        </Button>
      )}
    </FinalBooking>
  )
}
