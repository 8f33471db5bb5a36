import { copyDatabase } from '#server/database/copy-database.ts'
import { type Command, done, refused, pluralise } from './command.ts'
import { recordRun } from './operator-record.ts'
import { showTable } from './show-table.ts'

export const moveDatabaseCommand: Command = {
  name: 'move-database',
  usage: '',
  operands: [0, 0],
  summary: 'Copies the embedded database of DATA_DIR into the empty PostgreSQL of DATABASE_URL',
  help: [
    'Stop the server first. The command copies all tables and sequences in one transaction, compares the number of rows',
    'and a checksum of each table, and prints them. A database that is not empty is refused. Phones notice nothing.',
    'Then start the server with the same DATABASE_URL, and move the folder DATA_DIR/database away. DATABASE_URL names the',
    'owner of the new database: when the servers have a role of their own, run "migrate --grant-to ROLE" before they start.',
  ],
  options: {},
  isRecorded: true,
  opensEmbedded: true,
  async run({ trx, config: { databaseUrl }, dryRun }, given) {
    if (databaseUrl === undefined || databaseUrl === 'memory://')
      return refused(
        'Set DATABASE_URL to the empty PostgreSQL database: postgres://user:password@host/database.',
      )
    const command = moveDatabaseCommand.name
    const copy = await copyDatabase({
      source: trx,
      targetUrl: databaseUrl,
      dryRun,
      // The record of this run in the old database may be deleted with its folder.
      beforeCommit: target => recordRun(target, { command, given, about: [], dryRun }),
    })
    if (copy.kind === 'not-empty')
      return refused('The database of DATABASE_URL is not empty. Create a new one: createdb portal.')
    if (copy.kind === 'not-allowed')
      return refused(
        'The user of DATABASE_URL may not create tables in its database. Name the owner of the database; afterwards "migrate --grant-to ROLE" lets the servers use the tables as a role of their own.',
      )
    const rows = copy.tables.map(({ name, rows: count, checksum }) => [name, String(count), checksum])
    const total = copy.tables.reduce((sum, table) => sum + table.rows, 0)
    return done(
      ...showTable([['table', 'rows', 'checksum'], ...rows]),
      '',
      dryRun
        ? `${pluralise(total, 'row')} copied, compared and deleted again.`
        : `${pluralise(total, 'row')} copied and compared. Start the server with this DATABASE_URL.`,
    )
  },
}
