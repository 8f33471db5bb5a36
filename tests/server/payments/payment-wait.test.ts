import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { apiRoot } from '#contract/codes.ts'
import { doNothing } from '#device/do-nothing.ts'
import { connectDatabase, type OpenDatabase } from '#server/database/connect.ts'
import { recordOutcome } from '#server/features/payments/record-outcome.ts'
import type { PaymentProvider, ProviderStatus } from '#server/integrations/payment-provider.ts'
import { createApp } from '#server/start/app.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { passTimeDuring } from '#support/providers/pass-time.ts'
import { createSession } from '#support/servers/api-client.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { type DatabaseKind, openMigratedDatabase } from '#support/servers/test-databases.ts'
import { isFullRun } from '#support/test-tier.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

describe.each(['pglite', 'postgresql'] as const)('a held request, on %s', kind => {
  // Two status queries are seconds apart: the daily run waits for them on one database only.
  it.runIf(isFullRun || kind === 'postgresql')(
    'is answered when the provider decides, although no webhook comes (D68)',
    async () => {
      const payer = await openPayer(kind)
      const held = payer.read({ wait: true })
      await expect.poll(() => payer.statusQueries()).toBeGreaterThan(1)
      payer.decide('success')
      expect(await held).toMatchObject({ paymentStatus: 'SUCCESS' })
    },
  )

  it('is answered when the outcome is recorded outside this request (D68)', async () => {
    const payer = await openPayer(kind, { hasQueries: false })
    const held = Array.from({ length: 4 }, () => payer.read({ wait: true }))
    await expect.poll(() => payer.read()).not.toHaveProperty('mayWait')
    await payer.fail()
    for (const answer of await Promise.all(held))
      expect(answer).toMatchObject({ paymentStatus: 'ERROR', failure: 'expired' })
  })

  it('is answered at once when the applicant already has four, and these when the server stops (D68, D6)', async () => {
    const payer = await openPayer(kind)
    const held = Array.from({ length: 4 }, () => payer.read({ wait: true }))
    await expect.poll(() => payer.read()).not.toHaveProperty('mayWait')
    const fifth = await payer.read({ wait: true })
    expect(fifth).toMatchObject({ paymentStatus: 'IN_PROGRESS' })
    expect(fifth).not.toHaveProperty('mayWait')
    await payer.app.close()
    for (const answer of await Promise.all(held)) {
      expect(answer).toMatchObject({ paymentStatus: 'IN_PROGRESS' })
      expect(answer).not.toHaveProperty('mayWait')
    }
  })
})

describe('a held request', () => {
  it('is answered when the server stops during a status query, which records its outcome while the database is open (D68, D6)', async () => {
    const payer = await openPayer('any')
    const release = payer.hang()
    const held = payer.read({ wait: true })
    await expect.poll(() => payer.statusQueries()).toBeGreaterThan(0)
    await payer.app.close()
    expect(await held).toMatchObject({ paymentStatus: 'IN_PROGRESS' })
    payer.decide('success')
    release()
    await expect.poll(() => payer.storedStatus()).toBe('SUCCESS')
  })

  // The limit is 12 s.
  it.runIf(isFullRun)('is answered at its limit while the provider hangs (D68)', async () => {
    const payer = await openPayer('any')
    const release = payer.hang()
    const startedMs = performance.now()
    expect(await payer.read({ wait: true })).toMatchObject({ paymentStatus: 'IN_PROGRESS' })
    expect(performance.now() - startedMs).toBeLessThan(15_000)
    release()
  })

  it('no longer counts among the applicant’s four when its client has left (D68)', async () => {
    const payer = await openPayer('any')
    await payer.app.listen({ port: 0, host: '127.0.0.1' })
    const leave = new AbortController()
    const held = Array.from({ length: 4 }, () => payer.fetchHeld(leave.signal).catch(() => 'left'))
    await expect.poll(() => payer.read()).not.toHaveProperty('mayWait')
    leave.abort()
    expect(await Promise.all(held)).toEqual(['left', 'left', 'left', 'left'])
    await expect.poll(() => payer.read()).toHaveProperty('mayWait', true)
  })

  it('is answered by one process when another one has recorded the outcome, and other requests use the only connection of the first (D68)', async () => {
    const payer = await openPayer('postgresql', { hasQueries: false, poolSize: 1 })
    const held = payer.read({ wait: true })
    expect(await payer.read()).toMatchObject({ paymentStatus: 'IN_PROGRESS' })
    const other = await connectDatabase({ databaseUrl: payer.databaseUrl, dataDir: '', poolSize: 1 })
    closers.push(() => other.close())
    await payer.fail(other)
    expect(await held).toMatchObject({ paymentStatus: 'ERROR' })
    expect(await payer.read()).toMatchObject({ paymentStatus: 'ERROR' })
  })

  it('is refused like every request about another applicant’s payment (D12)', async () => {
    const payer = await openPayer('any')
    expect(await payer.read({ wait: true, asStranger: true })).toMatchObject({ statusCode: 404 })
  })
})

describe('a request that is not held', () => {
  it.each(['list', 'read'] as const)(
    'is answered while the provider hangs, so that the page can offer the code or Cancel, and the query continues: %s (D68, D47)',
    async request => {
      const payer = await openPayer('any')
      const release = payer.hang()
      const answer = await passTimeDuring(() => payer[request](), {
        whenWaiting: payer.whenAsked,
        timeoutMs: 15_000,
      })
      expect(answer).toMatchObject(request === 'list' ? [] : { paymentStatus: 'IN_PROGRESS', mayWait: true })
      expect(payer.statusQueries()).toBe(1)
      payer.decide('success')
      release()
      await expect.poll(() => payer.storedStatus()).toBe('SUCCESS')
    },
  )
})

/** Longer than a request is held, so that it learns the outcome only from a notification of the database. */
const endlessTickMs = 60_000

/** `hasQueries`: whether the held requests may query the provider, and read the payment each second, while they wait. */
async function openPayer(
  kind: DatabaseKind,
  { hasQueries = true, poolSize }: { hasQueries?: boolean; poolSize?: number } = {},
) {
  const { database, databaseUrl } = await openDatabase(kind, poolSize)
  const services = await servicesOn(database.db, { env: { CAPTCHA: 'off' } })
  const { provider, script, whenAsked } = createProvider()
  const app = createApp(services, {
    providers: { MOBILE: provider },
    listen: database.listen,
    ...(!hasQueries && { paymentTickMs: endlessTickMs }),
  })
  closers.push(() => app.close())
  const { token } = await createSession(services)
  const { token: strangersToken } = await createSession(services)
  const call = createCall(app, token)
  const { id } = (await call('POST', '/applications', {})).data
  await call('POST', `/applications/${id}/confirmData`, toWire(firstPassport))
  const query = `applicationId=${id}`
  const order = (await call('POST', `/payments/mobile-payment-init?${query}&phone=237671234567`, {})).data
  if (!hasQueries)
    await database.db
      .updateTable('payment')
      .set({ sent_at: new Date(0) })
      .execute()
  const path = `/payments/${order.id}?${query}`
  return {
    app,
    databaseUrl,
    decide: (status: ProviderStatus['kind']) => void (script.status = status),
    statusQueries: () => script.statusQueries,
    /** Resolves at the first status query. */
    whenAsked,
    /** From now on the provider answers no status query before the returned function is called. */
    hang() {
      let release: (() => void) | undefined
      script.ready = new Promise(resolve => (release = resolve))
      return () => release?.()
    },
    async storedStatus() {
      const row = database.db.selectFrom('payment').select('status').where('id', '=', order.id)
      return (await row.executeTakeFirstOrThrow()).status
    },
    async read({ wait = false, asStranger = false } = {}) {
      const callAs = asStranger ? createCall(app, strangersToken) : call
      return (await callAs('GET', wait ? `${path}&wait=true` : path)).data
    },
    /** A list with the last successful payment, as the payment screen asks for it; empty without one. */
    list: async () => (await call('GET', `/payments?${query}&lastSuccess=true`)).data,
    fetchHeld: (signal: AbortSignal) =>
      fetch(`${addressOf(app)}${apiRoot}${path}&wait=true`, {
        headers: { authorization: `Bearer ${token}` },
        signal,
      }),
    async fail({ db }: Pick<OpenDatabase, 'db'> = database) {
      const payment = await db
        .selectFrom('payment')
        .selectAll()
        .where('id', '=', order.id)
        .executeTakeFirstOrThrow()
      await recordOutcome(db, payment, { status: 'ERROR', reason: 'EXPIRED', failure: 'expired' })
    },
  }
}

async function openDatabase(kind: DatabaseKind, poolSize: number | undefined) {
  const first = await openMigratedDatabase(kind)
  closers.push(() => first.close())
  const { databaseUrl } = first
  if (poolSize === undefined) return { database: first, databaseUrl }
  const database = await connectDatabase({ databaseUrl, dataDir: '', poolSize })
  closers.push(() => database.close())
  return { database, databaseUrl }
}

function createProvider() {
  const script: { status: ProviderStatus['kind']; statusQueries: number; ready: Promise<void> } = {
    status: 'pending',
    statusQueries: 0,
    ready: Promise.resolve(),
  }
  let reportAsked = doNothing
  const whenAsked = new Promise<void>(resolve => {
    reportAsked = resolve
  })
  const provider: PaymentProvider = {
    start: async () => ({ kind: 'accepted', reference: 'their-reference', needsPayerCode: false }),
    async queryStatus({ orderId, amount, currency }) {
      script.statusQueries += 1
      reportAsked()
      await script.ready
      return script.status === 'success'
        ? { kind: 'success', orderId, amount, currency }
        : { kind: 'pending' }
    },
  }
  return { provider, script, whenAsked }
}

function createCall(app: FastifyInstance, token: string) {
  return async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      host: 'localhost:8080',
      'sec-fetch-site': 'same-origin',
    }
    const response = await app.inject({
      method,
      url: `${apiRoot}${path}`,
      headers,
      ...(payload && { payload }),
    })
    return response.json()
  }
}

function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : ''
}
