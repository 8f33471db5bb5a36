import type { UseQueryResult } from '@tanstack/react-query'
import { formatDay } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { Button } from '#ui/button.tsx'
import { MonthCalendar } from '#ui/calendar.tsx'
import { Loader } from '#ui/loader.tsx'
import { Panel } from '#ui/panel.tsx'
import { SelectField, type SelectState } from '#ui/select-field.tsx'
import { calendarTexts } from './calendar-texts.ts'
import type { Level, Picks } from './booking-selection.ts'

type TimeFieldsProps = {
  dates: UseQueryResult<string[]>
  slots: UseQueryResult<string[]>
  chosen: Picks
  errorOf: (level: Level) => string | undefined
  onPick: (level: Level, value: string) => void
}

/** Date and time at the chosen office, or the general queue when the office has no date (APT03–APT06). */
export function TimeFields(props: TimeFieldsProps) {
  const t = useText()
  const { dates, chosen } = props
  if (chosen.officeId === '') return null
  if (dates.data === undefined)
    return dates.isError ? <DatesFailed {...props} /> : <Loader text={t('appointment.loadingDates')} />
  return dates.data.length === 0 ? <GeneralQueue /> : <DayAndTime {...props} days={dates.data} />
}

function DatesFailed({ dates }: TimeFieldsProps) {
  const t = useText()
  return (
    <Panel tone="warning">
      <p>{t('select.fetchOptionsError')}</p>
      <Button
        variant="secondary"
        busy={dates.isFetching}
        busyLabel={t('button.busy')}
        onClick={() => void dates.refetch()}
      >
        {t('button.retry')}
      </Button>
    </Panel>
  )
}

function GeneralQueue() {
  const t = useText()
  return (
    <Panel tone="warning" heading={t('appointment.generalQueue')} announce>
      <p>{t('appointment.noDates')}</p>
    </Panel>
  )
}

function DayAndTime({ days, slots, chosen, errorOf, onPick }: TimeFieldsProps & { days: string[] }) {
  const t = useText()
  const language = useLanguage()
  const state: SelectState = slots.data
    ? { kind: 'ready' }
    : slots.isError
      ? {
          kind: 'failed',
          text: t('select.fetchOptionsError'),
          retryLabel: t('button.retry'),
          onRetry: () => void slots.refetch(),
        }
      : { kind: 'loading', text: t('select.loading') }
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
        placeholder={slots.data?.length === 0 ? t('select.choose') : undefined}
        state={state}
        value={chosen.time}
        error={errorOf('time')}
        onChange={event => onPick('time', event.target.value)}
      />
    </>
  )
}
