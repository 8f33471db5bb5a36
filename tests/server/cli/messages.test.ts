import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { enqueue, type MessageToSend } from '#server/features/messages/outbox.ts'
import { startCliFixture } from './cli-fixture.ts'

const { server, officeCommand } = await startCliFixture({ offices: 'none' })
beforeEach(() => sql`truncate outbox restart identity`.execute(server.services.db))

/**
 * Stores a notice to each recipient, makes it five days old, and lets its first attempt fail: then there is no further
 * one.
 */
async function failFor(...recipients: string[]): Promise<void> {
  for (const recipient of recipients) await enqueue(server.services.db, notice(recipient))
  await age(5 * 86_400)
  const down = { send: async () => ({ kind: 'failed', reason: 'status 503' }) as const }
  await deliverDue(server.services, { sms: down, email: down })
}

function notice(recipient: string): MessageToSend {
  const channel = recipient.includes('@') ? 'email' : 'sms'
  return { key: `k:${recipient}`, channel, kind: 'payment', recipient, message: { subject: 'S', text: 'T' } }
}

async function age(seconds: number): Promise<void> {
  const interval = sql`make_interval(secs => ${seconds})`
  await sql`update outbox set give_up_at = give_up_at - ${interval}, created_at = created_at - ${interval}`.execute(
    server.services.db,
  )
}

const phone = '237670000001'

describe('messages (D94)', () => {
  it('counts what waits', async () => {
    await enqueue(server.services.db, notice(phone))
    const { lines } = await officeCommand.run('messages')
    expect(lines[0]).toBe('channel  kind     waiting  oldest')
    expect(lines[1]).toMatch(/^sms {6}payment {2}1 {8}\d{4}-\d\d-\d\d \d\d:\d\d$/)
    expect(lines.at(-1)).toBe('0 messages failed: see --failed. Times are UTC.')
  })

  it('lists failed messages with masked recipients and the reason', async () => {
    expect((await officeCommand.run('messages', '--failed')).lines).toEqual(['No message has failed.'])
    await failFor(phone, 'awa@example.cm')
    const { lines } = await officeCommand.run('messages', '--failed')
    expect(lines.join('\n')).toMatch(/1 {3}payment {2}\+237\*{7}01 .* 1 {6}yes {5}status 503/)
    expect(lines.join('\n')).toContain('a**@example.cm')
    expect(lines.join('\n')).not.toMatch(/237670000001|awa@/)
    expect(lines.at(-1)).toBe('2 failed. Times are UTC.')
  })

  it('sends failed messages again, one or all', async () => {
    await failFor(phone, '237670000002', '237670000003')
    expect((await officeCommand.run('messages', '--resend', '2')).lines).toEqual([
      '1 message will be sent again by the server.',
    ])
    const before = (await server.outbox.messages()).length
    expect((await server.outbox.messages()).at(-1)).toMatchObject({ to: '237670000002', text: 'T' })
    await officeCommand.run('messages', '--resend', 'all')
    expect((await server.outbox.messages()).slice(before).map(({ to }) => to)).toEqual([
      phone,
      '237670000003',
    ])
    expect((await officeCommand.run('messages', '--failed')).lines).toEqual(['No message has failed.'])
  })

  it('does not send a message again whose text is no longer true, one or all', async () => {
    await enqueue(server.services.db, { ...notice(phone), uselessAfterSeconds: 3_600 })
    await age(3_601)
    await server.outbox.sendDue()
    expect((await officeCommand.run('messages', '--failed')).lines[1]).toMatch(/ no +too late$/)
    expect((await officeCommand.run('messages', '--resend', '1')).kind).toBe('refused')
    expect((await officeCommand.run('messages', '--resend', 'all')).lines).toEqual([
      '0 messages will be sent again by the server.',
    ])
  })

  it('refuses to send a message that still waits, and leaves it as it is', async () => {
    await enqueue(server.services.db, notice(phone))
    const stored = () => server.services.db.selectFrom('outbox').selectAll().execute()
    const before = await stored()
    const waiting = await officeCommand.run('messages', '--resend', '1')
    expect(waiting).toEqual({
      kind: 'refused',
      lines: ['1: No failed message that can be sent again has this id.'],
    })
    expect((await officeCommand.run('messages', '--resend', 'all')).lines).toEqual([
      '0 messages will be sent again by the server.',
    ])
    expect(await stored()).toEqual(before)
    expect(before).toHaveLength(1)
  })

  it('refuses two acts at once, because it would do only one of them (D45)', async () => {
    await failFor(phone)
    const list = officeCommand.file('sent.csv', 'message', `k:${phone}`)
    const both = await officeCommand.run('messages', '--sent', list, '--resend', 'all')
    expect(both).toEqual({ kind: 'refused', lines: ['Give only one of --failed, --resend and --sent.'] })
    expect((await officeCommand.run('messages', '--failed')).lines.at(-1)).toBe('1 failed. Times are UTC.')
  })

  it('refuses to send an expired code, an id of no message, and a word', async () => {
    const code = { subject: 'S', text: 'T', code: '123456' }
    await enqueue(server.services.db, { ...notice(phone), message: code, uselessAfterSeconds: 60 })
    await age(61)
    await server.outbox.sendDue()
    const { kind, lines } = await officeCommand.run('messages', '--resend', '1', '--resend', '9')
    expect(kind).toBe('refused')
    expect(lines).toEqual([
      '1: No failed message that can be sent again has this id.',
      '9: No failed message that can be sent again has this id.',
    ])
    expect((await officeCommand.run('messages', '--resend', 'one')).lines).toEqual([
      '"one" is neither the id of a message nor all.',
    ])
  })
})
