import { type KyselyPlugin, sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { createApp } from '#server/start/app.ts'
import { bodyOf, openBrowser, refreshCookie, signIn } from '#support/servers/api-client.ts'
import { forceRace } from '#support/servers/forced-race.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const contact = { msisdn: '237670000001', email: '' }

/** A browser that has a code and has typed a wrong one four times: one try is left, which need not wait any more. */
async function spendFourTries() {
  server = await startTestServer({
    database: 'postgresql',
    offices: 'none',
    env: { OTP_TTL_SECONDS: '300', CAPTCHA: 'off' },
  })
  const browser = openBrowser(server)
  const ask = async () => {
    bodyOf(await browser.call('auth', { body: contact }))
    return server.outbox.codeFor(contact.msisdn)
  }
  const enter = (otp: string) => browser.call('login', { body: { ...contact, otp } })
  const right = await ask()
  for (const seconds of [0, 2, 5, 60]) {
    expect((await enter('guess')).status).toBe(400)
    await server.advanceSeconds(seconds)
  }
  return { ask, browser, enter, right }
}

it('a new code opens a session when it was requested while the fifth wrong try ended the old codes (D21, D125)', async () => {
  const { ask, enter } = await spendFourTries()
  const [wrong] = await forceRace(server.services.db, {
    // The try is counted, and the statement that ends the old codes waits.
    lock: sql`select from one_time_code for update`,
    actions: [() => enter('guess')],
    change: ask,
  })
  expect(wrong).toMatchObject({ failure: { data: { triesLeft: 0 } } })
  expect((await enter(await server.outbox.codeFor(contact.msisdn))).kind).toBe('ok')
})

/** Returns another process of the server, which runs `act` between the count of a typed code and its comparison. */
function actAfterTry(act: () => Promise<unknown>): TestServer {
  const tries = new WeakSet<object>()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (node.kind === 'UpdateQueryNode' && node.returning !== undefined) tries.add(queryId)
      return node
    },
    async transformResult({ queryId, result }) {
      if (tries.has(queryId)) await act()
      return result
    },
  }
  const services = { ...server.services, db: server.services.db.withPlugin(plugin) }
  return { ...server, services, app: createApp(services) }
}

it('a new code opens a session when it was stored between the count of the fifth wrong try and its comparison (D21)', async () => {
  const { ask, browser, enter } = await spendFourTries()
  const other = openBrowser(actAfterTry(ask))
  for (const [name, value] of browser.cookies) other.cookies.set(name, value)
  const wrong = await other.call('login', { body: { ...contact, otp: 'guess' } })
  expect(wrong).toMatchObject({ failure: { data: { triesLeft: 0 } } })
  expect((await enter(await server.outbox.codeFor(contact.msisdn))).kind).toBe('ok')
})

it('a new code opens a session after the right code was the fifth try and its sign-in failed (D21)', async () => {
  const { ask, enter, right } = await spendFourTries()
  const { db } = server.services
  await sql`alter table session add constraint fails check (false) not valid`.execute(db)
  expect((await enter(right)).status).toBe(500)
  await sql`alter table session drop constraint fails`.execute(db)
  expect((await enter(await ask())).kind).toBe('ok')
})

it('a session ends when an old cookie and its unused successor come at the same time (D22)', async () => {
  server = await startTestServer({ database: 'postgresql', offices: 'none' })
  const owner = await signIn(server)
  const stolen = owner.cookies.get(refreshCookie) ?? ''
  bodyOf(await owner.call('refreshToken'))
  // After the 10 s in which a repeated refresh gets the same successor (D22).
  await server.advanceSeconds(11)
  const thief = openBrowser(server)
  thief.cookies.set(refreshCookie, stolen)
  await forceRace(server.services.db, {
    // The owner's refresh has replaced its token and waits for its session, to store the next token.
    lock: sql`select from session for update`,
    actions: [() => owner.call('refreshToken'), () => thief.call('refreshToken')],
  })
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from refresh_token join session on session.id = session_id
    where replaced_at is null and ended_at is null`.execute(server.services.db)
  expect(rows).toEqual([{ count: 0 }])
  expect(await thief.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  expect(await owner.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
})
