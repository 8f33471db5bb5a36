import { migrate, readMigrationState } from '#server/database/migrate.ts'
import { type Command, done, type Outcome, pluralise } from './command.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '',
  operands: [0, 0],
  summary: 'Changes the tables to those of this release, before its first server starts',
  help: [
    'A server does the same at its start. As a step of its own, an operator sees the migrations before the upgrade.',
    'Servers of the release before go on running: they work with the new tables. --dry-run lists the migrations.',
  ],
  options: {},
  isRecorded: false,
  async run({ trx }) {
    const { pending, newer } = await readMigrationState(trx)
    return report(pending, newer, 'to run')
  },
  async runInSteps({ db }) {
    const { newer } = await readMigrationState(db)
    return report(await migrate(db), newer, 'done')
  },
}

function report(names: string[], newer: string[], verb: string): Outcome {
  if (newer.length > 0)
    return done(
      `The tables are those of a newer release, with which this release works: ${newer.join(', ')}.`,
    )
  if (names.length === 0) return done('The tables are those of this release.')
  return done(...names, `${pluralise(names.length, 'migration')} ${verb}.`)
}
