import type { UseQueryResult } from '@tanstack/react-query'
import { formatDay } from '#i18n/format-date.ts'
import { type Translate, useText } from '#i18n/intl.ts'
import { stateOfList } from '#summary/list-state.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { RetryPanel } from '#summary/retry-panel.tsx'
import { MonthCalendar } from '#ui/calendar.tsx'
import { Loader } from '#ui/loader.tsx'
import { Panel } from '#ui/panel.tsx'
import { SelectField, type SelectState } from '#ui/select-field.tsx'
import { calendarTexts } from './calendar-texts.ts'
import type { Level, Picks } from './booking-selection.ts'

type TimeFieldsProps = {
  /** The applicant changes an appointment that has a time, and would lose this time in the general queue. */
  hasTime: boolean
  dates: UseQueryResult<string[]>
  slots: UseQueryResult<string[]>
  chosen: Picks
  errorOf: (level: Level) => string | undefined
  onPick: (level: Level, value: string) => void
}

/** Date and time at the chosen office, or the general queue when the office has no date (APT03, APT04, APT06). */
export function TimeFields(props: TimeFieldsProps) {
  const t = useText()
  const { dates, chosen } = props
  if (chosen.officeId === '') return null
  if (dates.data === undefined)
    return dates.isError ? (
      <RetryPanel text={t('select.fetchOptionsError')} query={dates} />
    ) : (
      <Loader text={t('appointment.loadingDates')} />
    )
  if (dates.data.length > 0) return <DayAndTime {...props} days={dates.data} />
  return <GeneralQueue hasTime={props.hasTime} />
}

/** The booked appointment stays until the applicant has finalized the new choice. */
function GeneralQueue({ hasTime }: Pick<TimeFieldsProps, 'hasTime'>) {
  const t = useText()
  return (
    <Panel tone="warning" heading={t('appointment.generalQueue')} announce>
      <p>{t('appointment.noDates')}</p>
      <p>
        {t('appointment.queue')} {hasTime && t('appointment.queueChange')}
      </p>
    </Panel>
  )
}

function DayAndTime({ days, slots, chosen, errorOf, onPick }: TimeFieldsProps & { days: string[] }) {
  const t = useText()
  const language = useLanguage()
  const state = stateOfTimes(t, slots)
  return (
    <>
      <SelectField
        name="date"
        label={t('appointment.date')}
        options={days.map(day => ({ value: day, label: formatDay(day, language) }))}
        value={chosen.date}
        onChange={event => onPick('date', event.target.value)}
      />
      {chosen.date !== '' && (
        <MonthCalendar
          availableDates={days}
          selected={chosen.date}
          onSelect={date => onPick('date', date)}
          texts={calendarTexts(t, language)}
        />
      )}
      <SelectField
        name="time"
        label={t('appointment.time')}
        hint={t('appointment.officeTime')}
        options={(slots.data ?? []).map(slot => ({ value: slot, label: slot.slice(0, 5) }))}
        state={state}
        value={chosen.time}
        error={errorOf('time')}
        onChange={event => onPick('time', event.target.value)}
      />
    </>
  )
}

/**
 * A day may have no time: other applicants have taken the last one, or its only one is the booked one, which a change does
 * not offer (S60).
 */
function stateOfTimes(t: Translate, slots: UseQueryResult<string[]>): SelectState {
  if (slots.data?.length === 0) return { kind: 'waiting', text: t('appointment.dayFull') }
  return stateOfList(t, slots)
}
