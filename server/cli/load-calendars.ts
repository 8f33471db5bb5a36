import type { Transaction } from 'kysely'
import * as z from 'zod/mini'
import type { Schema } from '#server/database/schema.ts'
import { closeDay } from '#server/features/appointments/closed-days.ts'
import { localDateTime } from '#server/features/offices/calendar.ts'
import { dayCell, timeOfDayCell, weekdaysCell, wholeNumberCell, textCell } from './cells.ts'
import { countBookingsOn, listOutsideHours } from './booked.ts'
import { type ListedOffice, chooseOffices, listOffices, unknownOfficeFault } from './choose-offices.ts'
import { type Command, pluralise, done, refused } from './command.ts'
import { limitFaults, readTable, type Row } from './read-table.ts'

const columns = {
  office: textCell(9),
  weekdays: z.optional(weekdaysCell()),
  opens: z.optional(timeOfDayCell()),
  closes: z.optional(timeOfDayCell()),
  slotMinutes: z.optional(wholeNumberCell(5, 480)),
  capacity: z.optional(wholeNumberCell(1, 1_000)),
  horizonDays: z.optional(wholeNumberCell(1, 365)),
  closedDay: z.optional(dayCell()),
  reason: z._default(textCell(200), ''),
}
type CalendarRow = Row<typeof columns>

export const loadCalendarsCommand: Command = {
  name: 'load-calendars',
  usage: 'FILE.csv',
  operands: [1, 1],
  summary: 'Sets opening hours, slots, capacity and horizon of offices, and adds closed days',
  help: [
    'Columns: office (an id, or the two letters of a country for all its active offices), and either',
    '  weekdays ("mon-fri", "tue thu"), opens (08:00), closes (15:30), slotMinutes, capacity (of each slot),',
    '  horizonDays (how far ahead applicants may book; if empty, it does not change), or',
    '  closedDay (2026-12-25) and reason.',
    'The rows with weekdays replace all hours that an office has. With only weekdays "none" it has no hours: applicants',
    'then join its general queue; a file with "none" and hours for one office is refused. Closed days are added to the',
    'existing ones (open-day reopens one); a day that is closed already keeps its first reason.',
    'A file cannot close a day with bookings: use close-day, which notifies the applicants. A day that is over can be closed.',
  ],
  options: {},
  isRecorded: false,
  async run({ trx, openFile, now }, { operands: [path = ''] }) {
    const table = readTable(openFile(path), columns)
    if (table.kind === 'faults') return refused(...table.faults)
    const calendars = readCalendars(table.rows, await listOffices(trx))
    if (calendars.faults.length > 0) return refused(...limitFaults(calendars.faults))
    const bookedDays = await findBookedDayFaults(trx, calendars.closures, now)
    if (bookedDays.length > 0) return refused(...limitFaults(bookedDays))
    for (const [officeId, hours] of calendars.hours) await replaceHours(trx, officeId, hours)
    let added = 0
    for (const closure of calendars.closures) if (await closeDay(trx, closure)) added += 1
    const closedBefore = calendars.closures.length - added
    const before = closedBefore > 0 ? `, ${closedBefore} closed already` : ''
    const ids = [...calendars.hours.keys()]
    return done(
      `Hours set for ${pluralise(ids.length, 'office')}; closed days set: ${added}${before}.`,
      ...(await listOutsideHours(trx, ids, now)),
    )
  },
}

type Opening = {
  row: CalendarRow
  weekdays: number[]
  opens: string
  closes: string
  slotMinutes: number
  capacity: number
}
/** `line`: of the first row with weekdays for the office. `openings`: none when these are "none". */
type OfficeHours = { line: number; horizonDays: number | undefined; openings: Opening[] }
type Closure = { row: CalendarRow; officeId: number; timeZone: string; day: string; reason: string }
type Calendars = { hours: Map<number, OfficeHours>; closures: Closure[]; faults: string[] }

function readCalendars(rows: CalendarRow[], offices: ListedOffice[]): Calendars {
  const calendars: Calendars = { hours: new Map(), closures: [], faults: [] }
  for (const row of rows) {
    const chosen = chooseOffices(offices, row.values.office)
    if (chosen.length === 0)
      calendars.faults.push(row.fault('office', `"${row.values.office}": ${unknownOfficeFault}.`))
    else if (row.values.closedDay === undefined) addHours(calendars, row, chosen)
    else addClosures(calendars, row, chosen)
  }
  return calendars
}

function addClosures({ closures, faults }: Calendars, row: CalendarRow, chosen: ListedOffice[]): void {
  const { closedDay = '', reason } = row.values
  const filled = hourColumns.find(name => row.values[name] !== undefined)
  if (filled !== undefined) faults.push(row.fault(filled, 'It must be empty beside a closedDay.'))
  else
    closures.push(
      ...chosen.map(({ id, timeZone }) => ({ row, officeId: id, timeZone, day: closedDay, reason })),
    )
}

const hourColumns = ['weekdays', 'opens', 'closes', 'slotMinutes', 'capacity', 'horizonDays'] as const

function addHours({ hours, faults }: Calendars, row: CalendarRow, chosen: ListedOffice[]): void {
  const opening = readOpening(row)
  if (typeof opening === 'string') {
    faults.push(opening)
    return
  }
  const { horizonDays } = row.values
  for (const { id } of chosen) {
    const known = hours.get(id)
    const contradiction = known && findContradiction(id, known, row, opening)
    if (contradiction !== undefined) {
      faults.push(contradiction)
      continue
    }
    const office = known ?? { line: row.line, horizonDays: undefined, openings: [] }
    const overlap = opening && findOverlap(office.openings, opening)
    if (overlap !== undefined) faults.push(overlap)
    if (horizonDays !== undefined && office.horizonDays !== undefined && horizonDays !== office.horizonDays)
      faults.push(row.fault('horizonDays', `${horizonDays}, where a row above has ${office.horizonDays}.`))
    hours.set(id, {
      line: office.line,
      horizonDays: horizonDays ?? office.horizonDays,
      openings: opening ? [...office.openings, opening] : office.openings,
    })
  }
}

/** Returns the opening of a row; undefined for weekdays "none"; a text when the row has a fault. */
function readOpening(row: CalendarRow): Opening | undefined | string {
  const { weekdays: days, opens, closes, slotMinutes, capacity } = row.values
  if (days?.length === 0) {
    const filled = (['opens', 'closes', 'slotMinutes', 'capacity'] as const).find(
      name => row.values[name] !== undefined,
    )
    return filled && row.fault(filled, 'It must be empty beside weekdays "none".')
  }
  const needed = { weekdays: days, opens, closes, slotMinutes, capacity }
  const empty = hourColumns.find(name => name in needed && row.values[name] === undefined)
  if (days === undefined || !opens || !closes || !slotMinutes || !capacity)
    return row.fault(empty ?? 'weekdays', 'It must be filled in where there is no closedDay.')
  if (minutesOf(closes) - minutesOf(opens) < slotMinutes)
    return row.fault('closes', `Between ${opens} and ${closes} there is no slot of ${slotMinutes} minutes.`)
  return { row, weekdays: days, opens, closes, slotMinutes, capacity }
}

/**
 * Weekdays "none" and hours contradict each other, also in two rows: the office would get the hours without a warning.
 */
function findContradiction(
  officeId: number,
  { line, openings }: OfficeHours,
  row: CalendarRow,
  opening: Opening | undefined,
): string | undefined {
  if (openings.length === 0)
    return opening && row.fault('weekdays', `Line ${line} says "none" for office ${officeId}.`)
  return opening ? undefined : row.fault('weekdays', `Line ${line} has hours of office ${officeId}.`)
}

function findOverlap(others: Opening[], { row, weekdays: days, opens, closes }: Opening): string | undefined {
  const other = others.find(
    each => each.opens < closes && opens < each.closes && each.weekdays.some(one => days.includes(one)),
  )
  return other && row.fault('opens', `These hours overlap those of line ${other.row.line}.`)
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/**
 * Returns a fault for each day with bookings: only `close-day` may close it, because it notifies the applicants. Not for a day
 * that is over at its office, such as one in the file of the year's holidays: there is no applicant to notify, and `close-day`
 * refuses it.
 */
async function findBookedDayFaults(
  trx: Transaction<Schema>,
  closures: Closure[],
  now: Date,
): Promise<string[]> {
  const faults: string[] = []
  for (const { row, officeId, timeZone, day: closed } of closures) {
    if (closed < localDateTime(timeZone, now).slice(0, 10)) continue
    const count = await countBookingsOn(trx, officeId, closed)
    if (count > 0) {
      const how = `use "close-day ${officeId} ${closed}", which notifies the applicants`
      const places = `${pluralise(count, 'place')} booked or reserved`
      faults.push(row.fault('closedDay', `${places} at office ${officeId} on ${closed}: ${how}.`))
    }
  }
  return faults
}

async function replaceHours(
  trx: Transaction<Schema>,
  officeId: number,
  { horizonDays, openings }: OfficeHours,
): Promise<void> {
  await trx.deleteFrom('opening').where('office_id', '=', officeId).execute()
  const rows = openings.flatMap(({ weekdays: days, opens, closes, slotMinutes, capacity }) =>
    days.map(weekday => ({
      office_id: officeId,
      weekday,
      opens,
      closes,
      slot_minutes: slotMinutes,
      capacity,
    })),
  )
  if (rows.length > 0) await trx.insertInto('opening').values(rows).execute()
  if (horizonDays !== undefined)
    await trx.updateTable('office').set({ horizon_days: horizonDays }).where('id', '=', officeId).execute()
}
