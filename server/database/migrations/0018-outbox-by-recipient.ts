import { type Migration, sql } from 'kysely'

/**
 * An index for the messages to the contacts of one account (D98): without this index, the download of the account's data reads
 * all messages.
 */
export const outboxByRecipient: Migration = {
  async up(db) {
    await sql`create index outbox_by_recipient on outbox (lower(recipient))`.execute(db)
  },
}
