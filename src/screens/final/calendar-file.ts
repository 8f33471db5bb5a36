import type { FetchStatus } from '@tanstack/react-query'
import type { LoadedServices } from '#app/services.ts'
import { officeWithTown } from '#contract/appointment.ts'
import type { Language } from '#contract/codes.ts'
import type { Translate } from '#i18n/intl.ts'
import { today } from '#summary/today.ts'
import type { useFinalParams } from './final-route.ts'
import { papersOfBooking } from './papers-of-booking.ts'
import { type ZoneYear, zoneYear } from './zone-changes.ts'

export type CalendarEntry = {
  /** The same for all appointments of an application, so that a calendar replaces the entry after a change. */
  id: string
  /** Grows with every change; a calendar keeps the entry with the highest number. */
  sequence: number
  /** Local time of the office: `2026-12-01T09:30:00`. */
  startsAt: string
  timeZone: string
  title: string
  place: string
  notes: string
  language: string
  /** Milliseconds since 1970. */
  writtenAt: number
}

/** Offices say that an enrolment takes 20 to 25 minutes. */
const durationMinutes = 30

type Services = Pick<LoadedServices, 'device' | 'queries' | 'queryClient' | 'serverInfo'>
type Texts = { t: Translate; locale: string; language: Language }

/**
 * Reads the booking and returns its calendar file. Waits for the calls of the screen, because the entry stays in the calendar:
 * a cached booking, and the answer of an earlier visit, may be stale. Resolves to undefined when the appointment has no date
 * or no time zone.
 *
 * @throws ProblemError when the service refuses a call or fails; without a connection, when this device has cached no answer
 * @throws RangeError when the browser does not know the time zone
 */
export async function readCalendarFile(
  { device, queries, queryClient, serverInfo }: Services,
  { appId, appNumber, appointmentId }: ReturnType<typeof useFinalParams>,
  { t, locale, language }: Texts,
): Promise<string | undefined> {
  const [appointment, application] = await Promise.all([
    queryClient.fetchQuery({ ...queries.appointment(appointmentId, language), staleTime }),
    queryClient.fetchQuery({ ...queries.applicationData(appId), staleTime }),
  ])
  const { appointmentDate, timeZone, sequence, nameOffice, addressOffice, city, country } = appointment
  if (!appointmentDate || !timeZone) return undefined
  const office = officeWithTown({ office: nameOffice ?? '', city, country })
  const papers = papersOfBooking(application, appointment, today({ device, serverInfo }))
  return calendarFile({
    id: `${appId}@${new URL(device.urlOf('/')).hostname}`,
    sequence: sequence ?? 0,
    startsAt: appointmentDate,
    timeZone,
    title: t('final.calendarTitle', { number: appNumber }),
    place: [office, addressOffice].filter(Boolean).join(', '),
    notes: [t('papers.heading'), ...papers.map(paper => `- ${t(`paper.${paper}`)}`)].join('\n'),
    language: locale,
    writtenAt: device.now(),
  })
}

/**
 * Makes `fetchQuery` wait for a call of the screen that still runs, and otherwise use the answer in memory. After a failed call
 * TanStack Query has marked this answer as invalid, and reads it again.
 */
function staleTime({ state }: { state: { fetchStatus: FetchStatus } }): number {
  return state.fetchStatus === 'idle' ? Infinity : 0
}

/**
 * Returns an iCalendar file (RFC 5545). The file contains the time zone of the office, so that a phone in another zone
 * rings at the right moment (F7).
 */
export function calendarFile(entry: CalendarEntry): string {
  const { timeZone, startsAt } = entry
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Passport portal//Appointment//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    ...zoneLines(timeZone, Number(startsAt.slice(0, 4))),
    'BEGIN:VEVENT',
    `UID:${entry.id}`,
    `SEQUENCE:${entry.sequence}`,
    `DTSTAMP:${compact(new Date(entry.writtenAt).toISOString())}Z`,
    `DTSTART;TZID=${timeZone}:${compact(startsAt)}`,
    `DURATION:PT${durationMinutes}M`,
    `SUMMARY;LANGUAGE=${entry.language}:${escape(entry.title)}`,
    `LOCATION;LANGUAGE=${entry.language}:${escape(entry.place)}`,
    `DESCRIPTION;LANGUAGE=${entry.language}:${escape(entry.notes)}`,
    'STATUS:CONFIRMED',
    'TRANSP:OPAQUE',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-P1D',
    `DESCRIPTION:${escape(entry.title)}`,
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return lines.map(line => `${fold(line)}\r\n`).join('')
}

function zoneLines(timeZone: string, year: number): string[] {
  const zone = zoneYear(timeZone, year)
  const beginning = { at: `${year}-01-01T00:00:00`, from: zone.first, to: zone.first }
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${timeZone}`,
    ...[beginning, ...zone.changes].flatMap(change => changeLines(change, zone)),
    'END:VTIMEZONE',
  ]
}

function changeLines({ at, from, to }: ZoneYear['changes'][number], { standard }: ZoneYear): string[] {
  const kind = to === standard ? 'STANDARD' : 'DAYLIGHT'
  return [
    `BEGIN:${kind}`,
    `DTSTART:${compact(at)}`,
    `TZOFFSETFROM:${showOffset(from)}`,
    `TZOFFSETTO:${showOffset(to)}`,
    `END:${kind}`,
  ]
}

function showOffset(offset: number): string {
  const [hours, rest] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  return `${offset < 0 ? '-' : '+'}${twoDigits(hours)}${twoDigits(rest)}`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

function compact(time: string): string {
  return time.slice(0, 19).replaceAll(/[-:]/g, '')
}

function escape(text: string): string {
  return text.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll(/\r?\n/g, String.raw`\n`)
}

/** Splits a line after at most 75 bytes, never inside a character. The following lines begin with a space (RFC 5545). */
function fold(line: string): string {
  const folded: string[] = []
  let rest = ''
  for (const character of line) {
    if (bytesOf(rest + character) > 75) {
      folded.push(rest)
      rest = ' '
    }
    rest += character
  }
  return [...folded, rest].join('\r\n')
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
