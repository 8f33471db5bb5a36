import { sql } from 'kysely'
import { connectDatabase } from '#server/database/connect.ts'

/**
 * Inserts pairs of rows until the process is killed, and prints each pair's number after the database acknowledged it.
 */
const { db } = await connectDatabase({ dataDir: process.argv[2] ?? '' })
await sql`create table if not exists pair (number int, half int, primary key (number, half))`.execute(db)
const { rows } = await sql<{ next: number }>`select coalesce(max(number), 0) + 1 as next from pair`.execute(
  db,
)
for (let number = rows[0]?.next ?? 1; ; number += 1) {
  await db.transaction().execute(async trx => {
    await sql`insert into pair values (${number}, 1)`.execute(trx)
    await sql`insert into pair values (${number}, 2)`.execute(trx)
  })
  await new Promise(resolve => process.stdout.write(`${number}\n`, resolve))
}
