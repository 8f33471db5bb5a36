import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { endpoints } from '#contract/endpoints.ts'
import { callPriorityOf } from '#server/http/load-shedding.ts'
import type { PaymentProvider } from '#server/integrations/payment-provider.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, openBrowser, signInDirectly } from '#support/servers/api-client.ts'
import { freshPhone } from '#support/data/fresh-phone.ts'
import { poolTimeoutMs } from '#support/servers/test-databases.ts'
import { startTestServer, type TestServer, type TestServerSettings } from '#support/servers/test-server.ts'
import { createScriptedProvider } from '../payments/scripted-provider.ts'

let server: TestServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

const poolSize = 2

async function startBusyServer(
  settings: Pick<TestServerSettings, 'providers' | 'refusesWhenBusy' | 'pool'> = {},
) {
  const started = await startTestServer({
    database: 'postgresql',
    offices: 'none',
    refusesWhenBusy: true,
    // A call of the test may wait long for a connection: on a busy machine the calls before it may need over 10 s.
    pool: { poolSize, timeoutMs: poolTimeoutMs },
    ...settings,
  })
  server = started
  const applicant = await signInDirectly(started)
  const { id } = bodyOf(await applicant.call('createApplication')).data
  return { server: started, applicant, id }
}

/** Takes all connections of the pool; the returned function gives them back. */
async function takeConnections(
  { services: { db } }: TestServer,
  count = poolSize,
): Promise<() => Promise<unknown>> {
  const release = new EventEmitter()
  const released = once(release, 'now')
  const holders: Promise<void>[] = []
  for (let number = 0; number < count; number += 1)
    await new Promise<void>(taken => {
      holders.push(
        db.connection().execute(async connection => {
          await sql`select 1`.execute(connection)
          taken()
          await released
        }),
      )
    })
  return () => (release.emit('now'), Promise.all(holders))
}

describe('a process on the embedded database (D92)', () => {
  it('lets a new sign-in wait for a long statement of its jobs', async () => {
    server = await startTestServer({ database: 'pglite', offices: 'none', refusesWhenBusy: true })
    const release = await takeConnections(server, 1)
    const job = sql`select 1`.execute(server.services.db)
    // Longer than a sign-in may wait for one of many connections.
    await pause(300)
    const signIn = signInAt(server)
    await release()
    await job
    expect((await signIn).status).toBe(200)
  })
})

describe('a process whose connections are all busy (D92)', () => {
  it('refuses new sign-ins first and admits the work of applicants, and then answers all that it admitted', async () => {
    const { server: busy, applicant, id } = await startBusyServer({ refusesWhenBusy: 'by-count' })
    const release = await takeConnections(busy)
    const signIns = Array.from({ length: 30 }, () => signInAt(busy))
    const save = applicant.call('saveData', { params: { id }, body: { draft: true }, key: 'save-in-crowd' })
    for (const path of ['/health', '/ready']) expect((await busy.app.inject(path)).statusCode).toBe(200)
    await release()
    const answers = await Promise.all(signIns)
    const admitted = answers.filter(({ status }) => status === 200).length
    expect(admitted).toBeGreaterThan(0)
    expect(admitted).toBeLessThanOrEqual(10)
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(30 - admitted)
    expect((await save).status).toBe(200)
    // The process is no longer busy.
    expect((await signInAt(busy)).status).toBe(200)
  })

  it('answers 503 with a random Retry-After, and the same key then does the work once', async () => {
    const { server: busy, applicant, id } = await startBusyServer()
    const release = await takeConnections(busy)
    const call = (key: string) =>
      applicant.call('saveData', { params: { id }, body: { draft: true }, key: `save-in-crowd-${key}` })
    const admitted = Array.from({ length: 80 }, (_, number) => call(String(number)))
    const refused = await Promise.all(Array.from({ length: 20 }, () => call('refused')))
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 503, failure: { reason: 'busy', statusCode: 503 } })
    const seconds = refused.map(({ headers }) => Number(headers['retry-after']))
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(5)
    expect(new Set(seconds).size).toBeGreaterThan(1)
    await release()
    await Promise.all(admitted)
    const version = async () => bodyOf(await applicant.call('readData', { params: { id } })).data.version ?? 0
    const before = await version()
    const done = bodyOf(await call('refused'))
    expect(bodyOf(await call('refused'))).toEqual(done)
    expect(await version()).toBe(before + 1)
  })

  it('refuses pages around a card payment, which anybody can ask for, with an HTML page', async () => {
    const { server: busy, applicant, id } = await startBusyServer({ refusesWhenBusy: 'by-count' })
    const release = await takeConnections(busy)
    const pages = Array.from({ length: 60 }, (_, number) =>
      busy.app.inject({
        url: number % 2 === 0 ? `/pay/return/${crypto.randomUUID()}` : `/pay/card/ticket-${number}`,
      }),
    )
    const save = applicant.call('saveData', { params: { id }, body: { draft: true }, key: 'save-in-flood' })
    expect((await busy.app.inject('/pay/page.css')).statusCode).toBe(200)
    await release()
    const answers = await Promise.all(pages)
    const refused = answers.filter(({ statusCode }) => statusCode === 503)
    expect(refused.length).toBeGreaterThanOrEqual(40)
    for (const { headers, body } of refused) {
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(5)
      expect(body).toMatch(/^<!doctype html>/)
    }
    expect((await save).status).toBe(200)
    expect((await busy.app.inject(`/pay/return/${crypto.randomUUID()}`)).statusCode).toBe(200)
  })

  it('admits more bookings than other work, at most twice as many, and work beside them (D119)', async () => {
    const { server: busy, applicant, id } = await startBusyServer({ refusesWhenBusy: 'by-count' })
    const release = await takeConnections(busy)
    const body = { applicationId: id, officeId: '1', generalQueue: true } as const
    const bookings = Array.from({ length: 200 }, (_, number) =>
      applicant.call('createAppointment', { body, key: `booking-${number}` }),
    )
    const save = applicant.call('saveData', { params: { id }, body: { draft: true }, key: 'save-in-rush' })
    await release()
    const refused = (await Promise.all(bookings)).filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThanOrEqual(40)
    // Of 200 calls of other work, at least 120 would be refused.
    expect(refused.length).toBeLessThan(120)
    expect((await save).status).toBe(200)
    expect(refused[0]).toMatchObject({ failure: { reason: 'busy' } })
  })
})

describe('a process whose queue for connections is full (D92)', () => {
  it('answers 503 with Retry-After at once, and completes what waits', async () => {
    // Without load shedding, which refuses calls long before the queue is full.
    const pool = { poolSize, timeoutMs: poolTimeoutMs }
    const { server: full, applicant, id } = await startBusyServer({ refusesWhenBusy: false, pool })
    const save = () =>
      applicant.call('saveData', { params: { id }, body: { draft: true }, key: 'save-with-full-queue' })
    const release = await takeConnections(full)
    const statements = Array.from({ length: 5_000 }, () => sql`select 1`.execute(full.services.db))
    await expect.poll(() => full.poolLoad().waiting).toBe(5_000)
    const refused = await save()
    expect(refused).toMatchObject({ status: 503, failure: { reason: 'unavailable', statusCode: 503 } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(full.poolLoad().waiting).toBe(5_000)
    await release()
    await Promise.all(statements)
    expect((await save()).status).toBe(200)
    expect(full.warnings.map(({ level }) => level)).toEqual(['warn'])
  })
})

/** An operator that answers no status query until `answer` is called. */
function createHangingOperator() {
  const { provider, callCounts } = createScriptedProvider()
  const release = new EventEmitter()
  const released = once(release, 'now')
  const hanging: PaymentProvider = {
    ...provider,
    async queryStatus(order) {
      const status = await provider.queryStatus(order)
      await released
      return status
    },
  }
  return {
    providers: { MOBILE: hanging },
    statusQueries: () => callCounts.queryStatus,
    answer: () => release.emit('now'),
  }
}

/** Starts a payment and returns a function that polls it. */
async function openPayment({ applicant, id }: Awaited<ReturnType<typeof startBusyServer>>) {
  bodyOf(await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  const payment = await applicant.call('startMobilePayment', {
    query: { applicationId: id, phone: '237671000000' },
  })
  const params = { id: bodyOf(payment).data.id }
  return (wait?: 'true') =>
    applicant.call('readPayment', { params, query: { applicationId: id, ...(wait && { wait }) } })
}

function signInAt(busy: TestServer) {
  return openBrowser(busy).call('auth', { body: { msisdn: `237${freshPhone()}`, email: '' } })
}

describe('a call that waits for something outside (D92)', () => {
  it('does not count while a payment operator hangs, nor after the process has answered the call', async () => {
    const operator = createHangingOperator()
    const started = await startBusyServer(operator)
    const poll = await openPayment(started)
    const polls: ReturnType<typeof poll>[] = []
    // Each status query may start at once, and hangs.
    for (let number = 1; number <= 12; number += 1) {
      await started.server.services.db.updateTable('payment').set({ asked_at: null }).execute()
      polls.push(poll())
      await expect.poll(operator.statusQueries).toBe(number)
    }
    expect((await signInAt(started.server)).status).toBe(200)
    operator.answer()
    for (const { status } of await Promise.all(polls)) expect(status).toBe(200)
    expect((await signInAt(started.server)).status).toBe(200)
  })

  it('counts when it asks to wait (`?wait=1`) at an endpoint where no call waits', async () => {
    const { server: busy } = await startBusyServer()
    const release = await takeConnections(busy)
    const signIns = Array.from({ length: 30 }, () =>
      busy.app.inject({
        method: 'POST',
        url: '/api/v1/auth?wait=1',
        payload: { msisdn: `237${freshPhone()}`, email: '' },
      }),
    )
    await release()
    const refused = (await Promise.all(signIns)).filter(({ statusCode }) => statusCode === 503)
    expect(refused.length).toBeGreaterThanOrEqual(20)
  })

  it('counts when it asks to wait for a payment, until it waits', async () => {
    const operator = createHangingOperator()
    operator.answer()
    const started = await startBusyServer(operator)
    const poll = await openPayment(started)
    const release = await takeConnections(started.server)
    const polls = Array.from({ length: 100 }, () => poll('true'))
    const refused = await Promise.any(
      polls.map(async each => {
        const answer = await each
        if (answer.status === 200) throw new Error('Not refused')
        return answer
      }),
    )
    expect(refused).toMatchObject({ failure: { reason: 'busy' } })
    await release()
    await started.server.services.db.updateTable('payment').set({ status: 'ERROR' }).execute()
    const answers = await Promise.all(polls)
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(80)
  })
})

describe('a call whose answer a client does not take (D92)', () => {
  it('counts no longer, so that slow readers do not make the process refuse other calls', async () => {
    const { server: busy, applicant } = await startBusyServer({ pool: { poolSize: 1 } })
    await storeLongMessage(busy, applicant.applicantId)
    await busy.app.listen({ port: 0, host: '127.0.0.1' })
    const sockets: Socket[] = []
    try {
      // As many as one applicant may download at once. Three calls in progress refuse a sign-in.
      for (let count = 0; count < 4; count += 1) sockets.push(await downloadUnread(busy, applicant.token))
      expect((await signInAt(busy)).status).toBe(200)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })
})

describe('a call whose body a client sends slowly (D92)', () => {
  it.each(['/api/v1/auth', '/api/v1/login', '/api/v1/refresh-token'])(
    'does not count at %s, so that bodies which never arrive make the process refuse no other call',
    async path => {
      const { server: busy, applicant, id } = await startBusyServer({ pool: { poolSize: 1 } })
      const address = await busy.app.listen({ port: 0, host: '127.0.0.1' })
      const sockets: Socket[] = []
      try {
        // More than the calls in progress that refuse the work of applicants.
        for (let count = 0; count < 50; count += 1) sockets.push(await sendHalfBody(address, path))
        // The server has seen those 50 requests before this one.
        expect((await fetch(`${address}/health`)).status).toBe(200)
        expect((await signInAt(busy)).status).toBe(200)
        expect((await applicant.call('readData', { params: { id } })).status).toBe(200)
        expect((await applicant.call('saveData', { params: { id }, body: { draft: true } })).status).toBe(200)
      } finally {
        for (const socket of sockets) socket.destroy()
      }
    },
  )

  it('is refused when the body arrives while the process is busy', async () => {
    const { server: busy } = await startBusyServer()
    const address = await busy.app.listen({ port: 0, host: '127.0.0.1' })
    const release = await takeConnections(busy)
    const sockets = await Promise.all(Array.from({ length: 30 }, () => sendHalfBody(address, '/api/v1/auth')))
    const answers = sockets.map(async socket => String((await once(socket, 'data'))[0]))
    for (const socket of sockets) socket.write(restOfBody)
    const refused = await Promise.any(
      answers.map(async each => {
        const answer = await each
        if (!answer.startsWith('HTTP/1.1 503')) throw new Error('Not refused')
        return answer
      }),
    )
    expect(refused).toContain('"reason":"busy"')
    await release()
    const statuses = (await Promise.all(answers)).map(answer => answer.slice(9, 12))
    expect(statuses.filter(status => status === '503').length).toBeGreaterThanOrEqual(20)
    for (const socket of sockets) socket.destroy()
  })
})

const [halfBody, restOfBody] = ['{"msisdn":', '"237671234567"}']

/** Sends a request with the beginning of its body. */
async function sendHalfBody(address: string, path: string): Promise<Socket> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const length = halfBody.length + restOfBody.length
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: localhost:8080\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${halfBody}`,
  )
  return socket
}

/** Longer than the buffers of a connection whose client does not read. */
const longText = 'x'.repeat(12 * 2 ** 20)

async function storeLongMessage({ services }: TestServer, applicantId: string): Promise<void> {
  const message = JSON.stringify({ subject: '', text: longText })
  await services.db
    .insertInto('outbox')
    .values({
      key: applicantId,
      channel: 'email',
      kind: 'payment',
      recipient: 'a@example.cm',
      message,
      applicant_id: applicantId,
      sent_at: sql<Date>`now()`,
    })
    .execute()
}

/** Asks for the data of an account, and reads no more than the beginning of the answer. */
async function downloadUnread({ app }: TestServer, token: string): Promise<Socket> {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const began = new EventEmitter()
  const buffer = Buffer.alloc(1_024)
  const onread = { buffer, callback: () => (began.emit('now'), false) }
  const socket = connect({ port: address.port, host: '127.0.0.1', onread })
  socket.on('error', () => undefined)
  const beginning = once(began, 'now')
  socket.write(
    `GET /api/v1/account/data?lg=fr&format=json HTTP/1.1\r\nhost: localhost:8080\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  await beginning
  // A refusal would be no slow download.
  expect(buffer.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /)
  return socket
}

describe('the priority of a call (D92)', () => {
  it.each([
    ['auth', 'sign-in'],
    ['captchaChallenge', 'sign-in'],
    ['login', 'read'],
    ['listApplications', 'read'],
    ['refreshToken', 'work'],
    ['saveData', 'work'],
    ['createAppointment', 'booking'],
    ['updateAppointment', 'work'],
    ['confirmAppointment', 'work'],
    ['startMobilePayment', 'work'],
    ['readPayment', 'work'],
  ] as const)('of %s is %s', (name, priority) => {
    expect(callPriorityOf(name, endpoints[name])).toBe(priority)
  })
})
