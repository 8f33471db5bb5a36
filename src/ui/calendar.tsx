import { type KeyboardEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import styles from './calendar.module.css'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import { addDays, addMonths, weeksOf, findDate, monthOf } from './calendar-days.ts'

export interface CalendarTexts {
  /** Accessible name of the grid; the month follows it. */
  label: string
  previousLabel: string
  nextLabel: string
  /** Twelve, from January. */
  monthNames: readonly string[]
  /** Seven, from Monday. */
  weekdayNames: readonly { long: string; short: string }[]
  /** Returns the accessible name of a date; it must contain the weekday and the number of the day. */
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
 * A calendar that shows one month. Show a list of the same dates beside it. Dates are calendar days, independent of the
 * time zone of the device.
 */
export function MonthCalendar({ availableDates, selected, onSelect, texts }: MonthCalendarProps) {
  const [shown, setShown] = useState({ month: monthOf(selected), selected })
  const grid = useRef<HTMLTableElement>(null)
  // When the selected date changes from outside, the calendar shows the month of that date.
  const month = shown.selected === selected ? shown.month : monthOf(selected)
  const all = [...availableDates, selected]
  const isFirst = all.every(date => monthOf(date) >= month)
  const isLast = all.every(date => monthOf(date) <= month)
  const name = `${texts.monthNames[Number(month.slice(5)) - 1] ?? ''} ${month.slice(0, 4)}`

  function turn(months: number) {
    setShown({ month: addMonths(month, months), selected })
  }

  function moveFocus(event: KeyboardEvent<HTMLButtonElement>, date: string) {
    const target = targetOf(event.key, { date, availableDates })
    if (target === undefined) return
    event.preventDefault()
    flushSync(() => setShown({ month: monthOf(target), selected }))
    grid.current?.querySelector<HTMLElement>(`[data-date="${target}"]`)?.focus()
  }

  return (
    <div className={styles.calendar}>
      <div className={styles.frame}>
        <TurnButton icon="left" label={texts.previousLabel} isEnd={isFirst} onPress={() => turn(-1)} />
        <div className={styles.caption}>
          <span className={styles.month} aria-live="polite">
            {name}
          </span>
        </div>
        <TurnButton icon="right" label={texts.nextLabel} isEnd={isLast} onPress={() => turn(1)} />
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the pattern "grid" of WAI-ARIA */}
        <table ref={grid} role="grid" className={styles.grid} aria-label={`${texts.label}, ${name}`}>
          {/* Each date has its weekday in its accessible name. */}
          <thead aria-hidden="true">
            <tr>
              {texts.weekdayNames.map(({ short }) => (
                <th key={short} scope="col" className={styles.weekday}>
                  {short}
                </th>
              ))}
            </tr>
          </thead>
          <Weeks {...{ month, availableDates, selected, texts, onSelect }} onKeyDown={moveFocus} />
        </table>
      </div>
    </div>
  )
}

type TurnButtonProps = { icon: 'left' | 'right'; label: string; isEnd: boolean; onPress: () => void }

/** Stays focusable at the end, so that the focus is not lost. */
function TurnButton({ icon, label, isEnd, onPress }: TurnButtonProps) {
  return (
    <button
      type="button"
      className={classNames(styles.turn, icon === 'right' ? styles.next : undefined)}
      aria-label={label}
      aria-disabled={isEnd || undefined}
      onClick={isEnd ? undefined : onPress}
    >
      <Icon name={icon} />
    </button>
  )
}

type WeeksProps = MonthCalendarProps & {
  month: string
  onKeyDown: (event: KeyboardEvent<HTMLButtonElement>, date: string) => void
}

function Weeks({ month, availableDates, selected, texts, onSelect, onKeyDown }: WeeksProps) {
  const [focused, setFocused] = useState<string>()
  const open = availableDates.filter(date => monthOf(date) === month)
  // The grid is one Tab stop.
  const stop = [focused, selected].find(date => date && open.includes(date)) ?? findDate(open, '', 1)
  return (
    <tbody>
      {weeksOf(month).map(week => (
        <tr key={week.find(Boolean)}>
          {week.map((date, weekday) => (
            <td key={weekday} className={styles.cell} {...selectionOf(date, selected)}>
              {date !== undefined && (
                <button
                  type="button"
                  className={styles.day}
                  data-date={date}
                  disabled={!open.includes(date)}
                  tabIndex={date === stop ? 0 : -1}
                  aria-label={texts.formatDayLabel(date)}
                  // The focus is on the button, so a press must change a state of the button, not of its cell alone.
                  aria-pressed={date === selected}
                  onClick={() => onSelect(date)}
                  onFocus={() => setFocused(date)}
                  onKeyDown={event => onKeyDown(event, date)}
                >
                  {Number(date.slice(8))}
                </button>
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

function selectionOf(date: string | undefined, selected: string) {
  return date === selected
    ? { role: 'gridcell', 'aria-selected': true, 'data-selected': true }
    : { role: 'gridcell' }
}

type Position = { date: string; availableDates: readonly string[] }

/**
 * Returns the date that a key leads to; dates that cannot be chosen are skipped. Undefined for another key, and when
 * there is no date in that direction.
 */
function targetOf(key: string, { date, availableDates }: Position): string | undefined {
  const inMonth = availableDates.filter(each => monthOf(each) === monthOf(date))
  switch (key) {
    case 'ArrowRight':
      return findDate(availableDates, addDays(date, 1), 1)
    case 'ArrowLeft':
      return findDate(availableDates, addDays(date, -1), -1)
    case 'ArrowDown':
      return findDate(availableDates, addDays(date, 7), 1)
    case 'ArrowUp':
      return findDate(availableDates, addDays(date, -7), -1)
    case 'PageDown':
      return findDate(availableDates, `${addMonths(monthOf(date), 1)}${date.slice(7)}`, 1)
    case 'PageUp':
      return findDate(availableDates, `${addMonths(monthOf(date), -1)}${date.slice(7)}`, -1)
    case 'Home':
      return findDate(inMonth, '', 1)
    case 'End':
      return findDate(inMonth, '9999', -1)
    default:
      return undefined
  }
}
