import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import { startEncryption } from '#server/config/data-keys.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { deleteExpiredRows } from '#server/features/deletion/delete-expired-rows.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import { bodyOf, openBrowser, signIn } from '#support/servers/api-client.ts'
import { addSecondContact } from '#support/servers/prove-contact.ts'
import { configOf } from '#support/servers/services-on.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer({ offices: 'none' })
})
afterEach(() => server.close())

const phone = '237670000001'
const newKey = () => randomBytes(32).toString('hex')

/** Gives the running server the keys that it would have after a restart with these settings. */
async function restartWith(env: Record<string, string>): Promise<void> {
  const { db, secrets, config } = server.services
  const { dataKeys, ...others } = await loadSecrets(db, configOf(env))
  Object.assign(secrets, others)
  // The encryption of the database connection reads this object, so it must not be replaced.
  Object.assign(secrets.dataKeys, dataKeys)
  Object.assign(config.keys, configOf(env).keys)
}

/** Makes the server store new values readable, as an earlier release did, until the encryption starts. */
async function forgetEncryption(): Promise<void> {
  await server.services.db.deleteFrom('encryption').execute()
  server.services.secrets.dataKeys.isStarted = false
}

/** Runs `encrypt-data`. Returns the line about messages. */
async function encryptMessages(): Promise<string | undefined> {
  const officeCommand = openCliFixture(server.services)
  const { kind, lines } = await officeCommand.run('encrypt-data')
  officeCommand.close()
  expect(kind).toBe('done')
  return lines.find(line => line.includes('message'))
}

/**
 * Stores five messages that wait: two about a change of contacts, two notices and a code. Returns how many messages were
 * sent before.
 */
async function storeMessages(): Promise<number> {
  const owner = await signIn(server, { phone })
  bodyOf(
    await addSecondContact(server, owner, { by: { phone }, added: { msisdn: '', email: 'two@example.cm' } }),
  )
  const { db } = server.services
  const mail = { subject: 'Gnomon', text: 'Gnomon vaporeux' }
  const notice = { key: 'notice', kind: 'payment', sms: 'Zorvil quaz', mail }
  await notifyApplicant(db, { applicant_id: owner.applicantId }, notice)
  bodyOf(await openBrowser(server).call('auth', { body: { msisdn: '', email: 'three@example.cm' } }))
  const { rows } = await sql`select from outbox where sent_at is not null`.execute(db)
  return rows.length
}

/** Every row of the outbox as PostgreSQL's text of a row. */
async function dumpOutbox(): Promise<string> {
  const { rows } = await sql<{ row: string }>`
    select outbox::text as row from outbox`.execute(server.services.db)
  return rows.map(({ row }) => row).join('\n')
}

async function sentAfter(before: number): Promise<OutgoingMessage[]> {
  const sent = (await server.outbox.messages()).slice(before)
  expect(sent.map(({ kind }) => kind).toSorted()).toEqual([
    'otp',
    'payment',
    'payment',
    'security',
    'security',
  ])
  expect(sent.filter(({ text }) => text.includes('/undo#'))).toHaveLength(1)
  return sent
}

/** The lines, codes and undo codes of messages. An e-mail code has eight digits, which no time of a row has. */
function secretsOf(sent: readonly OutgoingMessage[]): string[] {
  return sent
    .flatMap(({ text, code = '' }) => [...text.split('\n'), code, /\/undo#(\S+)/.exec(text)?.[1] ?? ''])
    .filter(secret => secret !== '')
}

function readableIn(dump: string, sent: readonly OutgoingMessage[]): string[] {
  return secretsOf(sent).filter(secret => dump.includes(secret))
}

describe('messages that wait (D71)', () => {
  it('are not readable in a dump: no text, no code and no undo code; all are sent', async () => {
    const before = await storeMessages()
    const dump = await dumpOutbox()
    expect(readableIn(dump, await sentAfter(before))).toEqual([])
  })

  it('of an earlier release are sent as they are', async () => {
    await forgetEncryption()
    const before = await storeMessages()
    const dump = await dumpOutbox()
    await startEncryption(server.services.db, server.services.secrets.dataKeys)
    const sent = await sentAfter(before)
    expect(readableIn(dump, sent)).toEqual(secretsOf(sent))
  })

  it('of an earlier release are encrypted by encrypt-data', async () => {
    await forgetEncryption()
    const before = await storeMessages()
    expect(await encryptMessages()).toBe('5 messages encrypted under DATA_KEY.')
    const dump = await dumpOutbox()
    expect(readableIn(dump, await sentAfter(before))).toEqual([])
  })

  it('are sent after DATA_KEY has changed and the previous key is gone', async () => {
    const [old, next] = [newKey(), newKey()]
    await forgetEncryption()
    await restartWith({ DATA_KEY: old })
    await startEncryption(server.services.db, server.services.secrets.dataKeys)
    const before = await storeMessages()
    await restartWith({ DATA_KEY: next, DATA_KEYS_PREVIOUS: old })
    expect(await encryptMessages()).toBe('5 messages encrypted under DATA_KEY.')
    expect(await encryptMessages()).toBeUndefined()
    await restartWith({ DATA_KEY: next })
    const dump = await dumpOutbox()
    expect(readableIn(dump, await sentAfter(before))).toEqual([])
  })

  it('open only in their own row: a message with the text of another one is not sent', async () => {
    const before = await storeMessages()
    await sql`
      update outbox set message = (select message from outbox where kind = 'otp' and sent_at is null)
      where key = 'notice:sms'`.execute(server.services.db)
    const sent = (await server.outbox.messages()).slice(before)
    expect(sent.map(({ key }) => key)).not.toContain('notice:sms')
    expect(sent).toHaveLength(4)
    expect(server.warnings.splice(0).map(({ level }) => level)).toEqual(['error', 'warn'])
  })
})

/** The keys, without their middle, of the messages whose text is stored; those with one-time codes are left out. */
async function storedTexts(): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select regexp_replace(key, ':.*:', ' ') as key from outbox
    where message <> '{}'::jsonb and kind <> 'otp' order by 1`.execute(server.services.db)
  return rows.map(({ key }) => key)
}

/** The message to the number has the undo code; the new address has none. */
const noUndoCode = ['contact-change email', 'notice:email', 'notice:sms']
const withUndoCode = ['contact-change email', 'contact-change phone', 'notice:email', 'notice:sms']

/** Makes the messages older, and changes nothing else; `advanceSeconds` would send them first. */
async function age(seconds: number): Promise<void> {
  const interval = sql`make_interval(secs => ${seconds})`
  await sql`
    update outbox set next_at = next_at - ${interval}, created_at = created_at - ${interval},
      give_up_at = give_up_at - ${interval}, failed_at = failed_at - ${interval}`.execute(server.services.db)
}

async function runOfficeCommand(...words: [string, ...string[]]): Promise<void> {
  const officeCommand = openCliFixture(server.services)
  expect((await officeCommand.run(...words)).kind).toBe('done')
  officeCommand.close()
}

const undoSeconds = 72 * 3_600

describe('the text of a message that was not sent and undoes a change of contacts (D70, D94)', () => {
  it('is deleted when the gateways were down until its code expired; other texts stay', async () => {
    await storeMessages()
    const down = { send: async () => ({ kind: 'failed', reason: 'down' }) as const }
    await age(undoSeconds - 60)
    await deliverDue(server.services, { sms: down, email: down })
    expect(await storedTexts()).toEqual(withUndoCode)
    await age(3_601)
    await deliverDue(server.services, { sms: down, email: down })
    expect(await storedTexts()).toEqual(noUndoCode)
    server.warnings.splice(0)
  })

  it('is deleted by the hourly job when it failed before its code expired', async () => {
    await storeMessages()
    await runOfficeCommand('after-restore')
    await runOfficeCommand('release-jobs', '--without-messages')
    await age(undoSeconds - 60)
    await deleteExpiredRows(server.services.db)
    expect(await storedTexts()).toEqual(withUndoCode)
    await age(61)
    await deleteExpiredRows(server.services.db)
    expect(await storedTexts()).toEqual(noUndoCode)
  })

  it('is not sent after its code has expired, also when an operator made it due again before', async () => {
    const before = await storeMessages()
    await runOfficeCommand('after-restore')
    await runOfficeCommand('release-jobs', '--without-messages')
    await runOfficeCommand('messages', '--resend', 'all')
    await age(undoSeconds + 1)
    const sent = (await server.outbox.messages()).slice(before)
    expect(sent.map(({ text }) => text.includes('/undo#'))).toEqual([false, false, false])
    expect(await storedTexts()).toEqual([])
  })
})
