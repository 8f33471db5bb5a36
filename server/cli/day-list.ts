import { sql } from 'kysely'
import { isCalendarDate } from '#contract/dates.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'
import { fullName } from '#server/features/receipt/receipt-code.ts'
import { chooseOffices, type ListedOffice, listOffices, unknownOfficeFault } from './choose-offices.ts'
import { type Command, type CommandContext, done, refused, pluralise } from './command.ts'
import { writeCsv } from './csv.ts'
import { showTable } from './show-table.ts'

export const dayListCommand: Command = {
  name: 'day-list',
  usage: 'OFFICE DATE [--csv FILE.csv]',
  operands: [2, 2],
  summary: 'Lists the applicants who have an appointment at an office on a day',
  help: [
    'OFFICE is the id of an office, or the two letters of a country for all its active offices.',
    'The list has names: print it for the office, and destroy it after the day.',
    '--csv writes it into a new file that only you can read. Times are on the clock of the office.',
  ],
  options: { csv: { type: 'string' } },
  isRecorded: true,
  async run(context, { operands: [officeText = '', day = ''], options: { csv } }) {
    if (!isCalendarDate(day)) return refused(`"${day}" is not a date such as 2026-12-25.`)
    const offices = chooseOffices(await listOffices(context.trx), officeText)
    if (offices.length === 0) return refused(`"${officeText}": ${unknownOfficeFault}.`)
    const expected = await listExpected(context, offices, day)
    const about = [day, ...expected.map(({ number }) => number)]
    const count = `${pluralise(expected.length, 'appointment')} on ${day}.`
    const rows = [header, ...expected.map(each => header.map(column => each[column]))]
    if (typeof csv === 'string') return { ...done(count), about, file: { path: csv, text: writeCsv(rows) } }
    const lines = offices.flatMap(office => printOffice(office, expected))
    return { ...done(...lines, count), about }
  },
}

const header = ['office', 'time', 'number', 'name', 'reason', 'state'] as const
type Expected = Record<(typeof header)[number], string>

function printOffice({ id, name }: ListedOffice, expected: Expected[]): string[] {
  const own = expected.filter(({ office }) => office === String(id))
  if (own.length === 0) return []
  const columns = header.slice(1)
  const rows = own.map(each => columns.map(column => each[column]))
  return [`Office ${id} (${name})`, ...showTable([columns, ...rows]), '']
}

/** Finds the appointments through their slots and places, because slots are indexed by office and time. */
async function listExpected(
  { trx, config }: CommandContext,
  offices: ListedOffice[],
  day: string,
): Promise<Expected[]> {
  const keys = { secrets: await loadSecrets(trx, config) }
  const ids = offices.map(({ id }) => id)
  const { rows } = await sql<{
    office: string
    time: string
    number: string
    id: string
    data: Record<string, unknown>
    state: string
  }>`
    select slot.office_id::text as office, to_char(slot.starts_at, 'HH24:MI') as time, application.number,
      application.id, application.data, application.state
    from slot
      join place on place.slot_id = slot.id
      join appointment on appointment.id = place.appointment_id
      join application on application.id = appointment.application_id
    where slot.office_id = any (${ids}) and appointment.state = 'CONFIRMED'
      and slot.starts_at >= ${day}::date and slot.starts_at < ${day}::date + 1
    order by slot.office_id, slot.starts_at, application.number`.execute(trx)
  return rows.map(({ id, data, ...row }) => {
    const form = decryptForm(keys, { id, data })
    return { ...row, name: fullName(form), reason: form.reason }
  })
}
