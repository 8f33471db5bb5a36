import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { enqueue, type MessageToSend } from '#server/features/messages/outbox.ts'
import type { Messengers, OutgoingMessage, SendResult } from '#server/integrations/messenger.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

function message(key: string): MessageToSend {
  return {
    key,
    channel: 'email',
    kind: 'receipt',
    recipient: 'awa@example.cm',
    message: { subject: 'S', text: 'T' },
  }
}

/** A fake gateway with a set answer, which records its messages. */
function gateway(
  answer: (message: OutgoingMessage) => Promise<SendResult> | SendResult = () => ({ kind: 'sent' }),
) {
  const given: OutgoingMessage[] = []
  const messenger = {
    async send(outgoing: OutgoingMessage) {
      given.push(outgoing)
      return answer(outgoing)
    },
  }
  const messengers: Messengers = { sms: messenger, email: messenger }
  return { given, messengers }
}

describe('the outbox', () => {
  it('sends a message once when its cause occurs several times', async () => {
    server = await startTestServer()
    const { db } = server.services
    const { given, messengers } = gateway()
    for (let times = 0; times < 3; times += 1) await enqueue(db, message('one'))
    await Promise.all([1, 2, 3].map(() => deliverDue(server.services, messengers)))
    await enqueue(db, message('one'))
    await deliverDue(server.services, messengers)
    expect(given.map(each => each.key)).toEqual(['one'])
  })

  it('sends no message of a transaction that was rolled back', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway()
    const undone = server.services.db.transaction().execute(async trx => {
      await enqueue(trx, message('undone'))
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await deliverDue(server.services, messengers)
    expect(given).toEqual([])
  })

  it('passes the attachments to the messenger when a message has attachments', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway()
    const attachments = [{ name: 'receipt.pdf', type: 'application/pdf', base64: 'JVBERg==' }]
    await enqueue(server.services.db, {
      ...message('file'),
      message: { subject: 'S', text: 'T', attachments },
    })
    await deliverDue(server.services, messengers)
    expect(given[0]?.attachments).toEqual(attachments)
  })

  it('retries after 15 s, 30 s, 1 min, … and at most an hour, ten tries in all', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway(() => ({ kind: 'failed', reason: 'down' }))
    await enqueue(server.services.db, message('late'))
    await deliverDue(server.services, messengers)
    for (const pause of [15, 30, 60, 120, 240, 480, 960, 1_920, 3_600]) {
      const before = given.length
      await ageOutbox(pause - 2)
      await deliverDue(server.services, messengers)
      expect(given).toHaveLength(before)
      await ageOutbox(3)
      await deliverDue(server.services, messengers)
      expect(given).toHaveLength(before + 1)
    }
    await ageOutbox(86_400)
    await deliverDue(server.services, messengers)
    expect(given).toHaveLength(10)
    expect(JSON.stringify(server.warnings)).not.toContain('awa@')
    const row = await server.services.db.selectFrom('outbox').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ sent_at: null, message: {} })
    expect(row.failed_at).not.toBeNull()
  })

  it('loses no message when the process is killed while it sends', async () => {
    server = await startTestServer()
    await enqueue(server.services.db, message('killed'))
    const dying = gateway(() => Promise.reject(new Error('killed')))
    await expect(deliverDue(server.services, dying.messengers)).rejects.toThrow('killed')
    await ageOutbox(61)
    const next = gateway()
    await deliverDue(server.services, next.messengers)
    expect(next.given.map(each => each.key)).toEqual(['killed'])
  })

  it('does not send a code that has expired', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway()
    await enqueue(server.services.db, { ...message('old'), uselessAfterSeconds: 60 })
    await ageOutbox(61)
    await deliverDue(server.services, messengers)
    expect(given).toEqual([])
  })
})

async function ageOutbox(seconds: number): Promise<void> {
  const age = sql`make_interval(secs => ${seconds})`
  await sql`update outbox set next_at = next_at - ${age}, claimed_until = claimed_until - ${age}, created_at = created_at - ${age}`.execute(
    server.services.db,
  )
}
