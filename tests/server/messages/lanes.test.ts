import { type Kysely, sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import type { Schema } from '#server/database/schema.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { enqueue, enqueueAll, type MessageToSend } from '#server/features/messages/outbox.ts'
import { type OutboxWorker, startOutboxWorker } from '#server/features/messages/outbox-worker.ts'
import { withCircuitBreaker } from '#server/integrations/circuit-breaker.ts'
import type { Messenger, OutgoingMessage, SendResult } from '#server/integrations/messenger.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
let worker: OutboxWorker | undefined
afterEach(async () => {
  await worker?.stop()
  worker = undefined
  await server.close()
})

function toSend(
  key: string,
  { channel = 'sms', kind = 'payment' }: Partial<MessageToSend> = {},
): MessageToSend {
  const recipient = channel === 'sms' ? '237670000001' : 'awa@example.cm'
  const code = kind === 'otp' ? { code: '123456' } : {}
  return { key, channel, kind, recipient, message: { subject: 'S', text: 'T', ...code } }
}

function many(count: number, message: Partial<MessageToSend>): MessageToSend[] {
  return Array.from({ length: count }, (_, index) => toSend(`${message.kind}-${index}`, message))
}

/** Each message is due before the next one. Messages that are due at the same time have no order. */
async function enqueueInOrder(db: Kysely<Schema>, messages: MessageToSend[]): Promise<void> {
  await enqueueAll(db, messages)
  await sql`update outbox set next_at = next_at - interval '1 second' + id * interval '1 millisecond'`.execute(
    db,
  )
}

/** A fake gateway that records the messages that it gets. `answer` may hang. */
function gateway(answer: () => Promise<SendResult> | SendResult = () => ({ kind: 'sent' })) {
  const given: OutgoingMessage[] = []
  let onGiven = doNothing
  const messenger: Messenger = {
    async send(message) {
      given.push(message)
      onGiven()
      return answer()
    },
  }
  /** Resolves when the gateway has got a message with this key. */
  const got = (key: string) =>
    new Promise<void>(resolve => {
      onGiven = () => {
        if (given.some(each => each.key === key)) resolve()
      }
      onGiven()
    })
  return { given, messenger, got }
}

/** A gateway that gives no answer until `release` is called. */
function hangingGateway() {
  let release = doNothing
  const released = new Promise<SendResult>(resolve => {
    release = () => resolve({ kind: 'sent' })
  })
  return { ...gateway(() => released), release }
}

describe('the order of the outbox (D94)', () => {
  it('sends a code and a notice with the first of 3,000 bulk messages that were stored earlier', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await enqueueAll(db, many(3_000, { kind: 'appointment-reminder' }))
    await enqueue(db, toSend('notice'))
    await enqueue(db, toSend('code', { kind: 'otp' }))
    const { given, messenger } = gateway()
    await deliverDue(server.services, { sms: messenger, email: messenger })
    // The messages of one round are sent side by side, so the gateway may get them in any order.
    expect(given.map(({ key }) => key)).toEqual(expect.arrayContaining(['code', 'notice']))
    expect(given.length).toBeLessThan(100)
  })

  it('sends a code while the gateway holds all bulk messages that one process sends', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await enqueueInOrder(db, many(50, { kind: 'day-closed' }))
    const hanging = hangingGateway()
    worker = startOutboxWorker(server.services, { sms: hanging.messenger, email: hanging.messenger })
    await hanging.got('day-closed-0')
    await enqueue(db, toSend('code', { kind: 'otp' }))
    worker.wake()
    await hanging.got('code')
    expect(hanging.given.length).toBeLessThan(20)
    hanging.release()
  })

  it('sends every message once when one process has many more than it can send at once', async () => {
    server = await startTestServer({ offices: 'none' })
    const messages = many(60, { kind: 'day-closed' })
    await enqueueAll(server.services.db, messages)
    const { given, messenger, got } = gateway()
    worker = startOutboxWorker(server.services, { sms: messenger, email: messenger })
    await got('day-closed-59')
    await worker.stop()
    while ((await deliverDue(server.services, { sms: messenger, email: messenger })) > 0);
    expect(given.map(({ key }) => key).toSorted()).toEqual(messages.map(({ key }) => key).toSorted())
  })
})

describe('a gateway that failed (D94)', () => {
  it('gets one message after its pause, not as many as one process may send at the same time', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await enqueueInOrder(db, many(10, { kind: 'payment' }))
    await enqueueInOrder(db, many(10, { kind: 'day-closed' }))
    let release = doNothing
    const released = new Promise<SendResult>(resolve => {
      release = () => resolve({ kind: 'sent' })
    })
    const { given, messenger, got } = gateway(() =>
      given.length === 1 ? { kind: 'failed', reason: 'status 503' } : released,
    )
    const guarded = withCircuitBreaker(messenger, () => new Date(0), { maxFailures: 1, pauseMs: 0 })
    await guarded.send({ key: 'k', channel: 'sms', kind: 'otp', to: '237670000001', subject: '', text: 'T' })
    worker = startOutboxWorker(server.services, { sms: guarded, email: guarded })
    await got('payment-0')
    const stopped = worker.stop()
    release()
    await stopped
    expect(given.map(({ key }) => key)).toEqual(['k', 'payment-0'])
  })
})

describe('a gateway that hangs (D94)', () => {
  it('for e-mail delays no SMS', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await enqueueInOrder(db, many(50, { kind: 'payment', channel: 'email' }))
    const mail = hangingGateway()
    const sms = gateway()
    worker = startOutboxWorker(server.services, { sms: sms.messenger, email: mail.messenger })
    await mail.got('payment-0')
    await enqueue(db, toSend('by SMS'))
    worker.wake()
    await sms.got('by SMS')
    mail.release()
  })

  it('gets no message while it is paused, and no message loses a try', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await enqueue(db, toSend('by mail', { channel: 'email' }))
    await enqueue(db, toSend('by SMS'))
    const mail = gateway()
    const sms = gateway()
    const paused = { ...mail.messenger, isPaused: () => true, isFailing: () => true }
    worker = startOutboxWorker(server.services, { sms: sms.messenger, email: paused })
    await sms.got('by SMS')
    await worker.stop()
    expect(mail.given).toEqual([])
    const rows = await db.selectFrom('outbox').select(['key', 'attempts']).orderBy('id').execute()
    expect(rows).toEqual([
      { key: 'by mail', attempts: 0 },
      { key: 'by SMS', attempts: 1 },
    ])
  })
})
