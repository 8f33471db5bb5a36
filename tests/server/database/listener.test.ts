import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { listenOnPostgresql, paymentChannel } from '#server/database/listener.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'

describe.each(['pglite', 'postgresql'] as const)('the notifications of %s', kind => {
  it('reach the listener after the commit, not before it and not after a rollback (D68)', async () => {
    const { db, listen, close } = await openTestDatabase(kind)
    const received: string[] = []
    const { stop } = listen(payload => received.push(payload))
    // The listener of PostgreSQL reports '' when its own connection is ready.
    if (kind === 'postgresql') await expect.poll(() => received).toEqual([''])
    await db
      .transaction()
      .execute(async trx => {
        await notify('rolled back').execute(trx)
        throw new Error('rollback')
      })
      .catch(() => undefined)
    await db.transaction().execute(async trx => {
      await notify('committed').execute(trx)
      await pause(200)
      expect(received.filter(payload => payload !== '')).toEqual([])
    })
    await expect.poll(() => received.filter(payload => payload !== '')).toEqual(['committed'])
    await stop()
    await close()
  })
})

describe('the listener of PostgreSQL', () => {
  it('listens again, and says that it may have missed something, after its connection was lost (D68)', async () => {
    const { db, listen, close } = await openTestDatabase('postgresql')
    const received: string[] = []
    const { stop } = listen(payload => received.push(payload))
    await expect.poll(() => received, { timeout: 60_000 }).toEqual([''])
    await endListeners().execute(db)
    await expect.poll(() => received, { timeout: 60_000 }).toEqual(['', ''])
    await notify('after').execute(db)
    await expect.poll(() => received).toEqual(['', '', 'after'])
    await stop()
    await close()
  })

  it('listens again when a file of its certificates could not be read for a time after the connection was lost (D68)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'listener-'))
    const { db, databaseUrl, close } = await openTestDatabase('postgresql')
    const authorities = join(folder, 'authorities.pem')
    const url = new URL(databaseUrl)
    url.searchParams.set('sslrootcert', authorities)
    url.searchParams.set('sslmode', 'disable')
    await writeFile(authorities, '')
    const received: string[] = []
    const { stop } = listenOnPostgresql(url.href)(payload => received.push(payload))
    await expect.poll(() => received, { timeout: 60_000 }).toEqual([''])
    await rm(authorities)
    await endListeners().execute(db)
    // The first try, after a second, cannot read the file.
    await pause(1_500)
    await writeFile(authorities, '')
    await expect.poll(() => received, { timeout: 20_000 }).toEqual(['', ''])
    await stop()
    await close()
    await rm(folder, { recursive: true })
  })
})

/** Ends the connections that listen, as a restart of PostgreSQL does. */
function endListeners() {
  return sql`select pg_terminate_backend(pid) from pg_stat_activity
    where query = ${`listen ${paymentChannel}`} and datname = current_database()`
}

function notify(payload: string) {
  return sql`select pg_notify(${paymentChannel}, ${payload})`
}
