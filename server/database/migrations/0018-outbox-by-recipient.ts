import { type Migration, sql } from 'kysely'

/** For the messages to the contacts of one account (D98): without it the download of an account reads all messages. */
export const outboxByRecipient: Migration = {
  async up(db) {
    await sql`create index outbox_by_recipient on outbox (lower(recipient))`.execute(db)
  },
}
