import { sql } from 'kysely'
import { type Command, done, pluralise } from './command.ts'
import { showTable } from './show-table.ts'

const maxShownRuns = 200

export const recordCommand: Command = {
  name: 'record',
  usage: '[NUMBER]',
  operands: [0, 1],
  summary:
    'Lists who ran which recorded command, when and why: the newest runs, or those about one application',
  help: [
    `The newest ${maxShownRuns} runs are shown. The record is append-only.`,
    'It has the runs of commands that change or reveal personal data. Of applicants it has the numbers of their',
    'applications and orders, and masked contacts.',
    'The operator is the name given with --as, or else the user; the user is that of the operating system.',
  ],
  options: {},
  isRecorded: false,
  async run({ trx }, { operands: [number] }) {
    const { rows } = await sql<Record<string, string>>`
      select to_char(at, 'YYYY-MM-DD HH24:MI:SS') as at, operator, machine_user as user,
        command || case when dry_run then ' --dry-run' else '' end as command, reason,
        case when cardinality(about) > 3 then about[1] || ' and ' || cardinality(about) - 1 || ' more'
          else array_to_string(about, ', ') end as about
      from operator_record
      where ${number ?? null}::text is null
        or exists (select from unnest(about) as each where split_part(each, ' ', 1) = ${number ?? null})
      order by id desc limit ${maxShownRuns}`.execute(trx)
    if (rows.length === 0) return done('Nothing is recorded.')
    const header = ['at', 'operator', 'user', 'command', 'about', 'reason']
    const lines = rows.map(row => header.map(name => row[name] ?? ''))
    return done(...showTable([header, ...lines]), '', `${pluralise(rows.length, 'run')}. Times are UTC.`)
  },
}
