import { describe, expect, it } from 'vitest'
import { localDateTime } from '#server/features/offices/calendar.ts'
import { listCitySeeds } from '#server/seed/offices.ts'
import { isFullRun } from '#support/test-tier.ts'
import { type CalendarEntry, calendarFile } from '#screens/final/calendar-file.ts'

const entry: CalendarEntry = {
  id: 'app-1@portal.test',
  sequence: 0,
  startsAt: '2026-12-01T09:30:00',
  timeZone: 'Africa/Douala',
  title: 'Passeport : rendez-vous au bureau, demande PO-1',
  place: 'Centre national de production des passeports, Yaoundé; Etoudi',
  notes:
    'À apporter\n- Acte de naissance : original et copie certifiée conforme, pièce d’état civil « établie »',
  language: 'fr',
  writtenAt: Date.parse('2026-11-21T17:00:00Z'),
}

describe('calendarFile (F7)', () => {
  it('contains one event in the time zone of the office, with all required properties', () => {
    const { components, event } = parse(calendarFile(entry))
    expect(components).toEqual(['VCALENDAR', 'VTIMEZONE', 'STANDARD', 'VEVENT', 'VALARM'])
    expect(event).toMatchObject({
      UID: 'app-1@portal.test',
      SEQUENCE: '0',
      DTSTAMP: '20261121T170000Z',
      'DTSTART;TZID=Africa/Douala': '20261201T093000',
      'SUMMARY;LANGUAGE=fr': entry.title,
      'LOCATION;LANGUAGE=fr': entry.place,
      'DESCRIPTION;LANGUAGE=fr': entry.notes,
    })
  })

  it('folds lines after at most 75 bytes and ends them with CRLF', () => {
    const file = calendarFile({ ...entry, title: 'é'.repeat(200), place: '𞤀'.repeat(90) })
    expect(file.endsWith('END:VCALENDAR\r\n')).toBe(true)
    expect(file.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(parse(file).event).toMatchObject({ 'SUMMARY;LANGUAGE=fr': 'é'.repeat(200) })
    expect(parse(file).event).toMatchObject({ 'LOCATION;LANGUAGE=fr': '𞤀'.repeat(90) })
  })

  it('writes the unchanged id and the higher sequence of a changed entry', () => {
    const [before, after] = [entry, { ...entry, sequence: 1, startsAt: '2026-12-08T10:00:00' }].map(
      each => parse(calendarFile(each)).event,
    )
    expect(after?.['UID']).toBe(before?.['UID'])
    expect(Number(after?.['SEQUENCE'])).toBeGreaterThan(Number(before?.['SEQUENCE']))
  })

  it('contains no change of the clocks in the first days of the next year', () => {
    // São Tomé changed its clocks on 1 January 2018.
    const [timeZone, startsAt] = ['Africa/Sao_Tome', '2017-12-01T09:30:00']
    const { components } = parse(calendarFile({ ...entry, timeZone, startsAt }))
    expect(components).toEqual(['VCALENDAR', 'VTIMEZONE', 'STANDARD', 'VEVENT', 'VALARM'])
  })

  it('gives the same instant as the zone of every office, in every season', () => {
    const zones = new Set(listCitySeeds().map(({ timeZone }) => timeZone))
    expect(zones.size).toBeGreaterThan(10)
    const everyZone = [...zones, 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/St_Johns']
    for (const [index, timeZone] of everyZone.entries())
      // The daily run tries four months of each zone, one in each season; the full run tries all twelve.
      for (let month = isFullRun ? 1 : 1 + (index % 3); month <= 12; month += isFullRun ? 1 : 3)
        for (const day of isFullRun ? ['01', '08', '15', '27', '28'] : ['01', '28']) {
          const startsAt = `2026-${String(month).padStart(2, '0')}-${day}T09:30:00`
          const instant = parse(calendarFile({ ...entry, timeZone, startsAt })).instant
          expect([timeZone, localDateTime(timeZone, instant)]).toEqual([timeZone, startsAt])
        }
  })
})

type Line = { name: string; value: string }

/** Parses the file as a calendar does: components, lines of the event, and the instant of its start by the zone of the file. */
function parse(file: string) {
  const lines = file
    .replaceAll('\r\n ', '')
    .split('\r\n')
    .filter(Boolean)
    .map((line): Line => {
      const colon = line.indexOf(':')
      return { name: line.slice(0, colon), value: line.slice(colon + 1) }
    })
  const open: string[] = []
  const components: string[] = []
  const event: Record<string, string> = {}
  const observances: Record<string, string>[] = []
  for (const { name, value } of lines) {
    if (name === 'BEGIN') {
      open.push(value)
      components.push(value)
      if (value === 'STANDARD' || value === 'DAYLIGHT') observances.push({})
    } else if (name === 'END') expect(open.pop()).toBe(value)
    else if (open.at(-1) === 'VEVENT') event[name] = unescape(value)
    else if (open.includes('VTIMEZONE') && open.length === 3)
      Object.assign(observances.at(-1) ?? {}, { [name]: value })
  }
  expect(open).toEqual([])
  const [, start = ''] = Object.entries(event).find(([name]) => name.startsWith('DTSTART')) ?? []
  const inForce = observances.findLast(each => (each['DTSTART'] ?? '') <= start)
  return { components, event, instant: new Date(utcMsOf(start) - offsetMsOf(inForce?.['TZOFFSETTO'] ?? '')) }
}

function unescape(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
}

function utcMsOf(text: string): number {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/.exec(text) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute))
}

function offsetMsOf(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  return sign * (Number(text.slice(1, 3)) * 60 + Number(text.slice(3, 5))) * 60_000
}
