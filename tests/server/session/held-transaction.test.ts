import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { columnIsContact } from '#server/database/contact-values.ts'
import { bodyOf, openBrowser } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const headers = { 'x-forwarded-for': '41.202.1.1' }
const contactBody = (msisdn: string) => ({ msisdn, email: '' })

/** Returns how many transactions of this database wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(server.services.db)
  return rows[0]?.count ?? 0
}

/** Resolves once this number of transactions waits for a lock, or when `isOver` says that the call is over. */
async function untilWaiting(count: number, isOver: () => boolean = () => false): Promise<'waits'> {
  while (!isOver() && (await countWaiting()) < count);
  return 'waits'
}

it('sends a code while the transaction of another code from the same network and country stands still (D91)', async () => {
  server = await startTestServer({ database: 'postgresql', env: { TRUSTED_PROXIES: 'loopback' } })
  const [held, other] = ['237670000001', '237670000002']
  const browser = openBrowser(server)
  bodyOf(await browser.call('auth', { body: contactBody(held), headers }))
  await server.advanceSeconds(61)

  // Stops the next code to this contact where its transaction writes the challenge, after the code was counted.
  const stop = await server.services.db.startTransaction().execute()
  await sql`select from challenge where ${columnIsContact('value', held)} for update`.execute(stop)
  const stopped = browser.call('auth', { body: contactBody(held), headers })
  await untilWaiting(1)

  let isAnswered = false
  const asked = openBrowser(server)
    .call('auth', { body: contactBody(other), headers })
    .finally(() => (isAnswered = true))
  const first = await Promise.race([asked, untilWaiting(2, () => isAnswered)])
  await stop.rollback().execute()
  expect((await stopped).kind).toBe('ok')
  expect(first).toMatchObject({ kind: 'ok' })
})

async function countsOf(keyPattern: string): Promise<number[]> {
  const rows = await server.services.db
    .selectFrom('usage_count')
    .select('count')
    .where('key', 'like', keyPattern)
    .execute()
  return rows.map(({ count }) => count)
}

it('sends exactly as many codes as the budget allows when more browsers ask at once (D91)', async () => {
  const budget = 10
  // The rest is for numbers with an account.
  const forUnknownNumbers = 8
  server = await startTestServer({ database: 'postgresql', env: { SMS_BUDGET_HOME: String(budget) } })
  await Promise.all(
    Array.from({ length: 3 * budget }, (_, index) =>
      openBrowser(server).call('auth', { body: contactBody(`2376700001${10 + index}`), headers }),
    ),
  )
  expect(await server.outbox.messages()).toHaveLength(forUnknownNumbers)
  expect(await countsOf('sms 237')).toEqual([forUnknownNumbers])
})

it('does not spend the budget on requests that the limits of the contact refuse (D91)', async () => {
  server = await startTestServer({ database: 'postgresql', env: { TRUSTED_PROXIES: 'loopback' } })
  await Promise.all(
    Array.from({ length: 20 }, () =>
      openBrowser(server).call('auth', { body: contactBody('237670000001'), headers }),
    ),
  )
  expect(await server.outbox.messages()).toHaveLength(1)
  expect(await countsOf('sms 237')).toEqual([1])
  // The address, and the /24 around it.
  expect(await countsOf('network %')).toEqual([1, 1])
})
