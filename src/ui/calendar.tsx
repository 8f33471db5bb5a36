import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { dateAfterKey, inOrder, monthOf, monthsWithDates, weeksOfMonth } from './calendar-month.ts'
import styles from './calendar.module.css'
import { Icon } from './icon.tsx'

export interface CalendarWords {
  /** Names the grid. */
  label: string
  previousLabel: string
  nextLabel: string
  /** Twelve, from January. */
  monthNames: readonly string[]
  /** Seven, from Monday. */
  weekdayNames: readonly { long: string; short: string }[]
  /** The whole date in words; it must contain the day's number. */
  formatDayLabel: (date: string) => string
}

interface MonthCalendarProps {
  /** "YYYY-MM-DD", in any order; only these can be chosen. */
  availableDates: readonly string[]
  selected: string | undefined
  onSelect: (date: string) => void
  words: CalendarWords
}

/** A month of days to choose from. Always give a list of the same dates beside it. */
export function MonthCalendar({ availableDates, selected, onSelect, words }: MonthCalendarProps) {
  const id = useId()
  const months = monthsWithDates(availableDates)
  const available = new Set(availableDates)
  const [cursor, setCursor] = useState<Cursor | undefined>(undefined)
  const moveFocus = useRef(false)
  const focused = placeCursor(cursor, selected, availableDates)
  if (focused === undefined) return null

  const month = monthOf(focused)
  const position = months.indexOf(month)

  function point(date: string) {
    setCursor({ date, besides: selected })
  }

  function turn(key: 'PageUp' | 'PageDown') {
    const next = dateAfterKey(focused ?? '', key, months)
    if (next) point(next)
  }

  function press(event: KeyboardEvent) {
    const next = dateAfterKey(focused ?? '', event.key, months)
    if (next === null) return
    event.preventDefault()
    moveFocus.current = true
    point(next)
  }

  function choose(date: string) {
    if (!available.has(date)) return
    setCursor(undefined)
    onSelect(date)
  }

  return (
    <div className={styles.calendar}>
      <div className={styles.head}>
        <Turn name="left" label={words.previousLabel} ended={position <= 0} onClick={() => turn('PageUp')} />
        <p id={`${id}-month`} className={styles.month} aria-live="polite">
          {nameMonth(month, words.monthNames)}
        </p>
        <Turn
          name="right"
          label={words.nextLabel}
          ended={position >= months.length - 1}
          onClick={() => turn('PageDown')}
        />
      </div>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role */}
      <table className={styles.grid} role="grid" aria-label={words.label} aria-describedby={`${id}-month`}>
        <thead>
          <tr>
            {words.weekdayNames.map(name => (
              <th key={name.long} scope="col" abbr={name.long} className={styles.weekday}>
                {name.short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOfMonth(month).map(week => (
            <tr key={week.find(date => date !== null)}>
              {week.map((date, column) =>
                date === null ? (
                  // eslint-disable-next-line jsx-a11y/control-has-associated-label
                  <td key={column} />
                ) : (
                  <td key={date} aria-selected={date === selected} className={styles.cell}>
                    <button
                      type="button"
                      ref={button => {
                        if (!button || date !== focused || !moveFocus.current) return
                        moveFocus.current = false
                        button.focus()
                      }}
                      className={styles.day}
                      tabIndex={date === focused ? 0 : -1}
                      aria-disabled={!available.has(date) || undefined}
                      aria-label={words.formatDayLabel(date)}
                      data-selected={date === selected ? '' : undefined}
                      onClick={() => choose(date)}
                      onKeyDown={press}
                    >
                      {Number(date.slice(8))}
                    </button>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Where the keyboard stands, and which choice was in force when it went there. */
interface Cursor {
  date: string
  besides: string | undefined
}

/** A new choice or new dates, made elsewhere, take the place of where the keyboard stood. */
function placeCursor(cursor: Cursor | undefined, selected: string | undefined, dates: readonly string[]) {
  const months = monthsWithDates(dates)
  if (cursor && cursor.besides === selected && months.includes(monthOf(cursor.date))) return cursor.date
  if (selected !== undefined && dates.includes(selected)) return selected
  return inOrder(dates)[0]
}

function nameMonth(month: string, monthNames: readonly string[]): string {
  return `${monthNames[Number(month.slice(5)) - 1] ?? ''} ${month.slice(0, 4)}`
}

interface TurnProps {
  name: 'left' | 'right'
  label: string
  ended: boolean
  onClick: () => void
}

function Turn({ name, label, ended, onClick }: TurnProps) {
  return (
    <button
      type="button"
      className={styles.turn}
      aria-label={label}
      aria-disabled={ended || undefined}
      onClick={ended ? undefined : onClick}
    >
      <Icon name={name} />
    </button>
  )
}
