import { migrate, readMigrationState } from '#server/database/migrate.ts'
import { type GrantFault, grantToServingRole } from '#server/database/serving-role.ts'
import { type Command, type Done, done, refused, pluralise } from './command.ts'
import { explainError } from './explain-error.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '[--grant-to ROLE]',
  operands: [0, 0],
  summary: 'Changes the tables to those of this release, before its first server starts',
  help: [
    'A server whose role may change tables does the same at its start. With this command you see and run the migrations',
    'before the upgrade.',
    'Servers of the previous release may keep running: they work with the new tables. --dry-run lists the migrations.',
    '--grant-to lets a role of PostgreSQL read and write rows (the record of the operators: read and add), but not change',
    'tables. Connect the servers as this role.',
  ],
  options: { 'grant-to': { type: 'string' } },
  isRecorded: false,
  async run({ trx }, { options }) {
    const { pending, newer } = await readMigrationState(trx)
    const outcome = report(pending, newer, 'to run')
    if (options['grant-to'] === undefined) return outcome
    return done(...outcome.lines, 'A dry run does not look at the role of --grant-to.')
  },
  async runInSteps({ db, config }, { options }) {
    const { newer } = await readMigrationState(db)
    const outcome = report(await migrate(db), newer, 'done')
    const role = options['grant-to']
    if (typeof role !== 'string') return outcome
    // The grant may fail after the migrations have run: then the operator still sees which ones.
    const refuse = (why: string) => ({ ...refused(why), lines: outcome.lines })
    try {
      const fault = await grantToServingRole(db, role)
      if (fault !== undefined) return refuse(explain(fault, role))
    } catch (error) {
      return refuse(explainError(error, config))
    }
    return done(
      ...outcome.lines,
      `The role ${role} may read and write rows (the record of the operators: read and add).`,
    )
  },
}

function explain(fault: GrantFault, role: string): string {
  switch (fault) {
    case 'no-role':
      return `PostgreSQL has no role "${role}". Create it with "createuser --pwprompt ${role}".`
    case 'owner':
      return `The role "${role}" owns the tables or is a superuser. Name a role that does not.`
    case 'not-allowed':
      return `The role in DATABASE_URL does not own all tables, so it cannot let "${role}" use them. Run the command again as the owner of the tables.`
  }
}

/** `ending`: what the last line says of the migrations, for example `done`. */
function report(names: string[], newer: string[], ending: string): Done {
  if (newer.length > 0)
    return done(
      `The tables have migrations of a newer release, and this release can work with them: ${newer.join(', ')}.`,
    )
  if (names.length === 0) return done('The tables are those of this release.')
  return done(...names, `${pluralise(names.length, 'migration')} ${ending}.`)
}
