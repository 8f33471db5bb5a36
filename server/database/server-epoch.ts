import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * Returns the epoch of this database: a random word that the command `after-restore` replaces after the database was
 * restored from a backup (D62). Stores an epoch when there is none. Processes that start together on a new database get
 * the same one: the first stored row wins.
 */
export async function findOrCreateServerEpoch(db: Kysely<Schema>): Promise<string> {
  await db
    .insertInto('server_epoch')
    .values({ epoch: newEpoch() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const row = await db.selectFrom('server_epoch').select('epoch').executeTakeFirstOrThrow()
  return row.epoch
}

/** Replaces the epoch. A server that is running keeps the old one until it starts again. */
export async function renewServerEpoch(db: Kysely<Schema>): Promise<void> {
  const epoch = newEpoch()
  await db
    .insertInto('server_epoch')
    .values({ epoch })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ epoch }))
    .execute()
}

function newEpoch(): string {
  return randomBytes(12).toString('base64url')
}
