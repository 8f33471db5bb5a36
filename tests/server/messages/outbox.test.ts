import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { claimDue } from '#server/features/messages/claim-due.ts'
import { deliverDue, deliverMessage } from '#server/features/messages/deliver-due.ts'
import { lanes } from '#server/features/messages/lanes.ts'
import { enqueue, type MessageToSend } from '#server/features/messages/outbox.ts'
import { decryptMessage } from '#server/features/messages/stored-message.ts'
import { createMetrics } from '#server/monitoring/metrics.ts'
import type { Messengers, OutgoingMessage, SendResult } from '#server/integrations/messenger.ts'
import { dateInDays } from '#support/data/dates.ts'
import { createSlowClock, useSlowClock } from '#support/providers/slow-clock.ts'
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

/** A fake gateway that records its messages and gives each the result of `answer`. */
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

  it('holds notices back when the budget of their country is spent, and sends them the next day (D109)', async () => {
    server = await startTestServer({ env: { NOTICE_BUDGET_ABROAD: '2', NOTICE_BUDGET_HOME: '1' } })
    const { db } = server.services
    const sms = (key: string, recipient: string, kind = 'payment') =>
      enqueue(db, { ...message(key), channel: 'sms', kind, recipient })
    for (const key of ['1', '2', '3']) await sms(`abroad ${key}`, '33612345678')
    await sms('home', '237670000001')
    const refusing = gateway(() => down)
    await deliverDue(server.services, refusing.messengers)
    const { given, messengers } = gateway()
    await ageOutbox(3_600)
    await deliverDue(server.services, messengers)
    expect(given).toHaveLength(3)
    expect(given.map(({ key }) => key)).toContain('home')
    // Enqueued only now: this message counts too, and the messages of one delivery are counted in any order.
    await sms('change of contacts', '33612345678', 'security')
    await deliverDue(server.services, messengers)
    expect(given.slice(3).map(({ key }) => key)).toEqual(['change of contacts'])
    expect(server.warnings.map(({ level }) => level)).toContain('error')
    await server.advanceSeconds(86_400)
    await deliverDue(server.services, messengers)
    expect(new Set(given.map(({ key }) => key)).size).toBe(5)
  })

  it('holds a notice over the budget back also after its five days, so that it is sent the next day (D94, D109)', async () => {
    server = await startTestServer({ offices: 'none', env: { NOTICE_BUDGET_EMAIL: '1' } })
    for (const key of ['1', '2']) await enqueue(server.services.db, message(key))
    await ageOutbox(7 * 86_400)
    const { given, messengers } = gateway()
    await deliverDue(server.services, messengers)
    expect(given).toHaveLength(1)
    await server.advanceSeconds(86_400)
    await deliverDue(server.services, messengers)
    expect(new Set(given.map(({ key }) => key))).toEqual(new Set(['1', '2']))
  })

  it('stores a notice as failed after its five days when its budget is 0, because the next day has no budget either (D94, D109)', async () => {
    server = await startTestServer({ offices: 'none', env: { NOTICE_BUDGET_EMAIL: '0' } })
    await enqueue(server.services.db, message('never'))
    await ageOutbox(7 * 86_400)
    await deliverDue(server.services, gateway().messengers)
    const row = await server.services.db.selectFrom('outbox').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ failed_at: expect.any(Date), last_failure: 'the budget is 0' })
  })

  it('keeps a fifth of the budget for payments and bookings, and shows the spent share (D109)', async () => {
    server = await startTestServer({ offices: 'none', env: { NOTICE_BUDGET_EMAIL: '5' } })
    const { db } = server.services
    const { given, messengers } = gateway()
    const deliverAll = async () => {
      for (let batch = 0; batch < 4; batch += 1) await deliverDue(server.services, messengers)
    }
    for (const key of ['1', '2', '3', '4', '5', '6'])
      await enqueue(db, { ...message(`reminder ${key}`), kind: 'appointment-reminder' })
    await deliverAll()
    expect(given).toHaveLength(4)
    const { registry, readDatabase } = createMetrics(server.services, server.poolLoad)
    await readDatabase()
    expect(await registry.metrics()).toContain('notice_budget_spent_ratio{channel="email",dial_code=""} 0.8')
    await enqueue(db, message('paid'))
    await deliverAll()
    expect(given.slice(4).map(({ key }) => key)).toEqual(['paid'])
    await server.advanceSeconds(86_400)
    await deliverAll()
    expect(new Set(given.map(({ key }) => key)).size).toBe(7)
  })

  it('no longer counts a message in the budget of its day when its gateway fails after midnight (D109)', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await enqueue(db, message('before midnight'))
    const { messengers } = gateway(async () => {
      await useSlowClock({ db }, createSlowClock(`${dateInDays(1)}T11:00:00+01:00`))
      await sql`insert into usage_count (key, window_start, count)
        values ('notice email', date_trunc('day', now()), 3)`.execute(db)
      return down
    })
    await deliverDue(server.services, messengers)
    const counts = await db.selectFrom('usage_count').select('count').orderBy('window_start').execute()
    expect(counts.map(({ count }) => count)).toEqual([0, 3])
  })

  it('no longer counts a message in the budget of its day when an error ends its try (D109)', async () => {
    server = await startTestServer({ offices: 'none', env: { NOTICE_BUDGET_EMAIL: '1' } })
    await enqueue(server.services.db, message('after an error'))
    const broken = gateway(() => Promise.reject(new Error('broken')))
    await expect(deliverDue(server.services, broken.messengers)).rejects.toThrow('broken')
    await ageOutbox(3_600)
    const { given, messengers } = gateway()
    await deliverDue(server.services, messengers)
    expect(given.map(({ key }) => key)).toEqual(['after an error'])
  })

  it('builds no message that the budget of the day holds back (D109)', async () => {
    server = await startTestServer({ offices: 'none', env: { NOTICE_BUDGET_EMAIL: '0' } })
    const { db } = server.services
    const { message: content, ...rest } = message('receipt')
    // A message for this application cannot be built, so an attempt would be logged.
    await enqueue(db, { ...rest, message: { ...content, receiptOf: 'no application' } })
    await deliverDue(server.services, gateway().messengers)
    const row = await db.selectFrom('outbox').select('last_failure').executeTakeFirstOrThrow()
    expect(row).toEqual({ last_failure: 'the budget is 0' })
    expect(server.warnings.map(({ level }) => level)).toEqual(['warn'])
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

  it('retries after 15 s, 30 s, 1 min, … and then every hour (D94)', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway(() => down)
    await enqueue(server.services.db, message('late'))
    await deliverDue(server.services, messengers)
    for (const pause of [15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
      const before = given.length
      await ageOutbox(pause - 2)
      await deliverDue(server.services, messengers)
      expect(given).toHaveLength(before)
      await ageOutbox(3)
      await deliverDue(server.services, messengers)
      expect(given).toHaveLength(before + 1)
    }
    expect(JSON.stringify(server.warnings)).not.toContain('awa@')
  })

  it.each([
    ['two hours', 2],
    ['two days', 48],
  ])('sends a notice when the gateway answers again after %s (D94)', async (_, hours) => {
    server = await startTestServer()
    await enqueue(server.services.db, message('notice'))
    await tryEveryHour(hours, gateway(() => down).messengers)
    const { given, messengers } = gateway()
    await ageOutbox(3_601)
    await deliverDue(server.services, messengers)
    expect(given).toMatchObject([{ key: 'notice', text: 'T' }])
  })

  it('stores a notice as failed, with its text, after five days without success (D94)', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway(() => down)
    await enqueue(server.services.db, message('never'))
    await tryEveryHour(5 * 24 + 1, messengers)
    const tries = given.length
    await ageOutbox(86_400)
    await deliverDue(server.services, messengers)
    expect(given).toHaveLength(tries)
    const row = await server.services.db.selectFrom('outbox').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ sent_at: null, last_failure: 'down' })
    expect(decryptMessage(server.services, row)).toMatchObject({ text: 'T' })
    expect(row.failed_at).not.toBeNull()
  })

  it('gives a notice a last try when no process ran for a week', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway()
    await enqueue(server.services.db, message('week'))
    await ageOutbox(7 * 86_400)
    await deliverDue(server.services, messengers)
    expect(given.map(each => each.key)).toEqual(['week'])
  })

  it('sends a message again when an error has ended its first try', async () => {
    server = await startTestServer()
    await enqueue(server.services.db, message('killed'))
    const dying = gateway(() => Promise.reject(new Error('killed')))
    await expect(deliverDue(server.services, dying.messengers)).rejects.toThrow('killed')
    await ageOutbox(61)
    const next = gateway()
    await deliverDue(server.services, next.messengers)
    expect(next.given.map(each => each.key)).toEqual(['killed'])
  })

  it('does not send a code that has expired, and empties the message in its row', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway()
    const code = { subject: 'S', text: 'T 123456', code: '123456' }
    await enqueue(server.services.db, { ...message('old'), message: code, uselessAfterSeconds: 60 })
    await ageOutbox(61)
    await deliverDue(server.services, messengers)
    expect(given).toEqual([])
    expect(await server.services.db.selectFrom('outbox').select('message').execute()).toEqual([
      { message: {} },
    ])
  })

  it('sends the messages that an older release stored, and not its expired ones (D73)', async () => {
    server = await startTestServer()
    const { given, messengers } = gateway()
    await enqueue(server.services.db, message('older'))
    await enqueue(server.services.db, { ...message('expired'), uselessAfterSeconds: 60 })
    await server.services.db.updateTable('outbox').set({ give_up_at: null }).execute()
    await ageOutbox(61)
    await deliverDue(server.services, messengers)
    expect(given.map(each => each.key)).toEqual(['older'])
  })
})

const down: SendResult = { kind: 'failed', reason: 'down' }

async function tryEveryHour(hours: number, messengers: Messengers): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    await deliverDue(server.services, messengers)
    await ageOutbox(3_601)
  }
}

async function ageOutbox(seconds: number): Promise<void> {
  const age = sql`make_interval(secs => ${seconds})`
  await sql`update outbox set next_at = next_at - ${age}, claimed_until = claimed_until - ${age},
    created_at = created_at - ${age}, give_up_at = give_up_at - ${age}`.execute(server.services.db)
}

describe('a message that waits long before it is sent', () => {
  it('is sent once, by the process that claimed it last, and stays claimed while it is sent (D94)', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await enqueue(db, message('slow'))
    const [first] = await claimDue(db, lanes)
    await ageOutbox(61)
    const [second] = await claimDue(db, lanes)
    if (!first || !second) throw new Error('Not claimed')
    await ageOutbox(59)
    const claimedAgain: number[] = []
    const { given, messengers } = gateway(async () => {
      await ageOutbox(30)
      claimedAgain.push((await claimDue(db, lanes)).length)
      return { kind: 'sent' }
    })
    await deliverMessage(server.services, messengers, first)
    expect(given).toEqual([])
    await deliverMessage(server.services, messengers, second)
    expect(given.map(({ key }) => key)).toEqual(['slow'])
    expect(claimedAgain).toEqual([0])
  })

  it('stays claimed by the process that sends it now when an earlier send fails late (D94)', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await enqueue(db, message('slow'))
    const [first] = await claimDue(db, lanes)
    if (!first) throw new Error('Not claimed')
    const slow = gateway(async () => {
      await ageOutbox(61)
      expect(await claimDue(db, lanes)).toHaveLength(1)
      return down
    })
    await deliverMessage(server.services, slow.messengers, first)
    await ageOutbox(31)
    expect(await claimDue(db, lanes)).toEqual([])
  })
})
