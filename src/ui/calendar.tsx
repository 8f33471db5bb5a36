import { useState } from 'react'
import { DayPicker } from 'react-day-picker'
import styles from './calendar.module.css'
import { Icon } from './icon.tsx'

export interface CalendarTexts {
  /** Accessible name of the grid; the month follows it. */
  label: string
  previousLabel: string
  nextLabel: string
  /** Twelve, from January. */
  monthNames: readonly string[]
  /** Seven, from Monday. */
  weekdayNames: readonly { long: string; short: string }[]
  /** Returns the accessible name of a date; it must contain the number of the day. */
  formatDayLabel: (date: string) => string
}

interface MonthCalendarProps {
  /** The dates that can be chosen, as "YYYY-MM-DD" in any order. */
  availableDates: readonly string[]
  selected: string
  onSelect: (date: string) => void
  texts: CalendarTexts
}

/**
 * A calendar that shows one month. Show a list of the same dates beside it. Load the calendar lazily: its library is
 * large.
 * Dates are calendar days, independent of the time zone of the device.
 */
export function MonthCalendar({ availableDates, selected, onSelect, texts }: MonthCalendarProps) {
  const available = new Set(availableDates)
  const first = availableDates.reduce((one, other) => (other < one ? other : one), selected)
  const last = availableDates.reduce((one, other) => (other > one ? other : one), selected)
  const nameMonth = (month: Date) => `${texts.monthNames[month.getMonth()] ?? ''} ${month.getFullYear()}`
  const [shown, setShown] = useState({ month: toLocal(selected), selected })
  return (
    <DayPicker
      mode="single"
      required
      navLayout="around"
      weekStartsOn={1}
      // When the selected date changes from outside, the calendar shows the month of that date.
      month={shown.selected === selected ? shown.month : toLocal(selected)}
      onMonthChange={month => setShown({ month, selected })}
      startMonth={toLocal(first)}
      endMonth={toLocal(last)}
      disabled={day => !available.has(toText(day))}
      selected={toLocal(selected)}
      // By default the library marks today by the clock of the device, which may be wrong (D23). The selected date is
      // marked anyway.
      today={toLocal(selected)}
      onSelect={day => onSelect(toText(day))}
      classNames={classNames}
      components={components}
      formatters={{
        formatCaption: nameMonth,
        formatWeekdayName: day => nameOf(day, texts)?.short ?? '',
      }}
      labels={{
        labelGrid: month => `${texts.label}, ${nameMonth(month)}`,
        labelPrevious: () => texts.previousLabel,
        labelNext: () => texts.nextLabel,
        labelWeekday: day => nameOf(day, texts)?.long ?? '',
        labelDayButton: day => texts.formatDayLabel(toText(day)),
      }}
    />
  )
}

const components = { Chevron: Arrow }

function Arrow({ orientation }: { orientation?: 'left' | 'right' | 'up' | 'down' }) {
  return <Icon name={orientation === 'left' ? 'left' : 'right'} />
}

const classNames = {
  root: styles['calendar'] ?? '',
  month: styles['frame'] ?? '',
  month_caption: styles['caption'] ?? '',
  caption_label: styles['month'] ?? '',
  button_previous: `${styles['turn']} ${styles['previous']}`,
  button_next: `${styles['turn']} ${styles['next']}`,
  month_grid: styles['grid'] ?? '',
  weekday: styles['weekday'] ?? '',
  day: styles['cell'] ?? '',
  day_button: styles['day'] ?? '',
}

function nameOf(day: Date, { weekdayNames }: CalendarTexts) {
  return weekdayNames[(day.getDay() + 6) % 7]
}

/** Returns noon of the date in local time: at midnight a change to summer time could give the day before. */
function toLocal(date: string): Date {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return new Date(year, month - 1, day, 12)
}

function toText(day: Date): string {
  const [month, date] = [day.getMonth() + 1, day.getDate()].map(part => String(part).padStart(2, '0'))
  return `${day.getFullYear()}-${month}-${date}`
}
