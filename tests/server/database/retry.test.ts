import { EventEmitter, once } from 'node:events'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { isUniqueViolation, retryOnConflict } from '#server/database/retry.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

let database: TestDatabase | undefined

afterEach(async () => {
  await database?.close()
  database = undefined
})

describe('retryOnConflict', () => {
  it.each(['23505', '40P01', '40001'])('runs again after the error code %s', async code => {
    let runs = 0
    const result = await retryOnConflict(async () => {
      runs += 1
      if (runs < 3) throw Object.assign(new Error('lost'), { code })
      return 'won'
    })
    expect({ result, runs }).toEqual({ result: 'won', runs: 3 })
  })

  it('throws the database error when every attempt fails', async () => {
    database = await openTestDatabase('pglite')
    const { db } = database
    await sql`create table note (id int primary key)`.execute(db)
    await sql`insert into note values (1)`.execute(db)
    const error: unknown = await retryOnConflict(() => sql`insert into note values (1)`.execute(db)).catch(
      (thrown: unknown) => thrown,
    )
    expect(isUniqueViolation(error)).toBe(true)
  })

  it('lets two transactions succeed after a deadlock', async () => {
    database = await openTestDatabase('postgresql')
    const { db } = database
    await sql`create table account (id int primary key, amount int)`.execute(db)
    await sql`insert into account values (1, 0), (2, 0)`.execute(db)
    const locked = new EventEmitter()
    const oneHasEnded = once(locked, 'ended')
    let runs = 0
    const increment = ([first = 0, second = 0]: number[]) =>
      retryOnConflict(async () => {
        // On a busy machine the second try could otherwise meet the other transaction again.
        if (runs === 2) await oneHasEnded
        await db.transaction().execute(async trx => {
          await sql`update account set amount = amount + 1 where id = ${first}`.execute(trx)
          runs += 1
          // Each has its first row before either wants its second one.
          if (runs === 1) await once(locked, 'both')
          if (runs === 2) locked.emit('both')
          await sql`update account set amount = amount + 1 where id = ${second}`.execute(trx)
        })
      }).then(() => locked.emit('ended'))
    await Promise.all([increment([1, 2]), increment([2, 1])])
    expect(runs).toBe(3)
    expect((await sql`select amount from account`.execute(db)).rows).toEqual([{ amount: 2 }, { amount: 2 }])
  })
})

describe('retryOnConflict with an error without a code', () => {
  it('does not run again', async () => {
    let runs = 0
    const failing = retryOnConflict(async () => {
      runs += 1
      throw new Error('a bug')
    })
    await expect(failing).rejects.toThrow('a bug')
    expect(runs).toBe(1)
  })
})
