import { sql, type Transaction } from 'kysely'
import { loadSecrets } from '#server/config/secrets.ts'
import type { Schema } from '#server/database/schema.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'
import { fullName } from '#server/features/receipt/receipt-code.ts'
import { type Command, done, refused } from './command.ts'
import { unknownApplicationFault } from './lock-application.ts'
import { maskContact, maskName } from './mask.ts'
import { showTable } from './show-table.ts'

export const applicationCommand: Command = {
  name: 'application',
  usage: 'NUMBER',
  operands: [1, 1],
  summary: 'Shows the state, appointments and payments of one application',
  help: [
    'The name and the contacts are masked: ask the caller for them, and compare.',
    'Times are UTC; only the time of an appointment is on the clock of the office.',
  ],
  options: {},
  isRecorded: true,
  needsReason: true,
  async run({ trx, config }, { operands: [number = ''] }) {
    const application = await trx
      .selectFrom('application')
      .select(['id', 'applicant_id', 'state', 'data', 'language', 'changes_used', 'deletion_day'])
      .select(sql<string>`to_char(created_at, 'YYYY-MM-DD HH24:MI')`.as('created'))
      .select(sql<string>`to_char(updated_at, 'YYYY-MM-DD HH24:MI')`.as('changed'))
      .where('number', '=', number)
      .executeTakeFirst()
    if (application === undefined) return refused(`${number}: ${unknownApplicationFault}`)
    const keys = { secrets: await loadSecrets(trx, config) }
    const facts = [
      ['application', number],
      ['state', application.state],
      ['name', maskName(fullName(decryptForm(keys, application))) || '-'],
      ['contacts', (await listContacts(trx, application.applicant_id)).join(', ') || '-'],
      ['language', application.language],
      ['created', application.created],
      ['changed', application.changed],
      ['changes used', String(application.changes_used)],
      ['deletion', application.deletion_day ?? '-'],
    ]
    const lines = [
      ...showTable(facts),
      ...section('Appointments', await listAppointments(trx, application.id)),
      ...section('Payments', await listPayments(trx, application.id)),
    ]
    return { ...done(...lines), about: [number] }
  },
}

/** The columns are those of the first row. */
function section(title: string, rows: Record<string, string | null>[]): string[] {
  const [first] = rows
  if (first === undefined) return ['', `${title}: none`]
  const header = Object.keys(first)
  return ['', title, ...showTable([header, ...rows.map(row => header.map(name => row[name] ?? '-'))])]
}

async function listContacts(trx: Transaction<Schema>, applicantId: string): Promise<string[]> {
  const contacts = await trx
    .selectFrom('contact')
    .select(['kind', 'value'])
    .where('applicant_id', '=', applicantId)
    .orderBy('kind')
    .execute()
  return contacts.map(maskContact)
}

async function listAppointments(trx: Transaction<Schema>, applicationId: string) {
  const { rows } = await sql<Record<string, string | null>>`
    select case when appointment.state = 'HELD' and held_until <= now() then 'EXPIRED'
        else appointment.state end as state,
      office.id || ' ' || name_en as office,
      case when general_queue then 'general queue' else to_char(starts_at, 'YYYY-MM-DD HH24:MI') end as time,
      to_char(appointment.created_at, 'YYYY-MM-DD HH24:MI') as reserved,
      to_char(confirmed_at, 'YYYY-MM-DD HH24:MI') as confirmed
    from appointment join office on office.id = appointment.office_id
    where application_id = ${applicationId} order by appointment.created_at`.execute(trx)
  return rows
}

async function listPayments(trx: Transaction<Schema>, applicationId: string) {
  const { rows } = await sql<Record<string, string | null>>`
    select order_id as order, method, amount || ' ' || currency as amount, status,
      case when refunded_at is not null then 'refunded' when refund_due then 'due' end as refund,
      provider_reference as reference, to_char(created_at, 'YYYY-MM-DD HH24:MI') as ordered,
      to_char(settled_at, 'YYYY-MM-DD HH24:MI') as settled
    from payment where application_id = ${applicationId} order by created_at`.execute(trx)
  return rows
}
