import { sql } from 'kysely'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { apiRoot } from '#contract/codes.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { readStored } from '#contract/stored-form.ts'
import { findOrCreateServerEpoch } from '#server/database/server-epoch.ts'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { claimRun } from '#server/jobs/run-every.ts'
import { openServer } from '#server/start/open-server.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { configOf } from '#support/servers/services-on.ts'
import { newDatabaseUrl } from '#support/servers/test-databases.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { type CliFixture, openCliFixture } from './cli-fixture.ts'

let server: TestServer
let cli: CliFixture
let applicant: SignedIn
let created: { id: string; applicationNumber: string }

beforeEach(async () => {
  server = await startTestServer({ offices: 'none' })
  cli = openCliFixture(server.services)
  applicant = await signIn(server)
  created = bodyOf(await applicant.call('createApplication')).data
})
afterEach(async () => {
  cli.close()
  await server.close()
})

async function saveSurname(surname: string) {
  const params = { id: created.id }
  return bodyOf(await applicant.call('saveData', { params, body: { surname, draft: true } })).data
}

const sequenceOf = (applicationNumber: string) => Number(applicationNumber.split('-')[2])

describe('a save (D61)', () => {
  it('is answered with the digest of what the server now has, the version, the state and the epoch', async () => {
    const saved = await saveSurname('Ngo')
    const read = bodyOf(await applicant.call('readData', { params: { id: created.id } })).data
    expect(saved).toEqual({
      version: 1,
      currentState: 'NEW',
      epoch: server.services.epoch,
      digest: await digestOfForm(readStored(read), 1),
    })
    expect(read.epoch).toBe(server.services.epoch)
  })

  it('has another digest at each save, also at one of the same answers', async () => {
    const digests = [await saveSurname('Ngo'), await saveSurname('Ngo'), await saveSurname('Mbock')]
    expect(new Set(digests.map(({ digest }) => digest)).size).toBe(3)
  })
})

describe('npm run office -- after-restore (D62)', () => {
  it('changes the epoch, which the list of applications names too', async () => {
    const before = await findOrCreateServerEpoch(server.services.db)
    expect(before).toBe(bodyOf(await applicant.call('version')).data.epoch)
    expect(before).toBe(bodyOf(await applicant.call('listApplications')).epoch)
    expect(await cli.run('after-restore')).toMatchObject({ kind: 'done' })
    expect(await findOrCreateServerEpoch(server.services.db)).not.toBe(before)
  })

  it('uses no version again that was given out after the backup', async () => {
    await saveSurname('Ngo')
    await cli.run('after-restore')
    const again = await signIn(server)
    const { version } = bodyOf(await again.call('readData', { params: { id: created.id } })).data
    expect(version).toBeGreaterThan(100_000)
  })

  it('uses no application number again that was given out after the backup', async () => {
    await cli.run('after-restore')
    const other = await signIn(server, { phone: '237670000009' })
    const next = bodyOf(await other.call('createApplication')).data.applicationNumber
    expect(sequenceOf(next)).toBeGreaterThan(sequenceOf(created.applicationNumber) + 50_000)
  })

  it('ends every session, because one that ended after the backup must not become valid again', async () => {
    await cli.run('after-restore')
    expect(await applicant.call('listApplications')).toMatchObject({ status: 401 })
    expect(await applicant.call('refreshToken')).toMatchObject({ status: 401 })
  })

  it('may run twice, and no application number is used twice (D62)', async () => {
    const numbers = [created.applicationNumber]
    for (let index = 1; index <= 2; index += 1) {
      expect(await cli.run('after-restore')).toMatchObject({ kind: 'done' })
      const other = await signIn(server, { phone: `23767000001${index}` })
      numbers.push(bodyOf(await other.call('createApplication')).data.applicationNumber)
    }
    const [first = 0, second = 0, third = 0] = numbers.map(sequenceOf)
    expect([second - first > 50_000, third - second > 50_000]).toEqual([true, true])
  })

  it('uses no application number again when the same backup is restored a second time (D62)', async () => {
    const { db } = server.services
    const inBackup = await sql<{
      last: number
    }>`select last_value as last from application_number_seq`.execute(db)
    const numbers: string[] = []
    for (const phone of ['237670000014', '237670000015']) {
      // What the restore takes back: the count of the numbers, and the application that is younger than the backup.
      await db.deleteFrom('application').where('id', '!=', created.id).execute()
      await sql`select setval('application_number_seq', ${inBackup.rows[0]?.last})`.execute(db)
      expect(await cli.run('after-restore')).toMatchObject({ kind: 'done' })
      const other = await signIn(server, { phone })
      numbers.push(bodyOf(await other.call('createApplication')).data.applicationNumber)
    }
    expect(new Set(numbers).size).toBe(2)
  })

  it('lets no code have the id of a lost one, because a gateway would take its message for a repeat (D94)', async () => {
    const lost = await lastCodeId()
    await cli.run('after-restore')
    await signIn(server, { phone: '237670000013' })
    expect(await lastCodeId()).toBeGreaterThan(lost + 50_000)
  })

  it('keeps the epoch and the session in a dry run', async () => {
    const before = await findOrCreateServerEpoch(server.services.db)
    await cli.run('after-restore', '--dry-run')
    expect(await findOrCreateServerEpoch(server.services.db)).toBe(before)
    expect(await applicant.call('listApplications')).toMatchObject({ status: 200 })
  })
})

async function lastCodeId(): Promise<number> {
  const code = await server.services.db
    .selectFrom('one_time_code')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return code.id
}

/** The messages to one applicant since the start, without codes. */
async function noticesTo(to: string) {
  return (await server.outbox.messages()).filter(each => each.to === to && each.kind !== 'otp')
}

async function store(key: string) {
  const message = { subject: 'S', text: 'T' }
  await enqueue(server.services.db, {
    key,
    channel: 'email',
    kind: 'receipt',
    recipient: 'awa@example.cm',
    message,
  })
}

describe('npm run office -- after-restore on a new database (D107)', () => {
  it('says that the database is empty instead of naming a newest change', async () => {
    const empty = await startTestServer({ offices: 'none' })
    const onEmpty = openCliFixture(empty.services)
    try {
      const { kind, lines } = await onEmpty.run('after-restore')
      const text = lines.join('\n')
      expect(kind).toBe('done')
      expect(text).toContain('This database has no application, no payment and no message')
      expect(text).toContain('statement FILE.csv')
      expect(text).not.toMatch(/newest change|no day/)
    } finally {
      onEmpty.close()
      await empty.close()
    }
  })
})

describe('the jobs after a restore (D107)', () => {
  it('are held until the operator releases them, and only codes are sent', async () => {
    const { db } = server.services
    await store('waited-at-the-backup')
    const held = await cli.run('after-restore')
    expect(held.lines.join('\n')).toContain('All jobs are held')
    expect(await claimRun(db, 'reminders', 300)).toBe(false)
    expect(await noticesTo('awa@example.cm')).toEqual([])
    expect((await signIn(server, { phone: '237670000021' })).token).not.toBe('')

    expect((await cli.run('release-jobs')).lines).toEqual(['The jobs are released.'])
    expect((await cli.run('release-jobs')).lines).toEqual(['The jobs are not held.'])
    expect(await claimRun(db, 'reminders', 300)).toBe(true)
    expect(await noticesTo('awa@example.cm')).toHaveLength(1)
  })

  it('are released without the messages that waited before the restore, which stay among the failed messages', async () => {
    await store('waited-at-the-backup')
    await cli.run('after-restore')
    await server.advanceSeconds(10)
    await store('stored-after-the-restore')
    // After a second run of the command, the new message still does not count as one that waited before the restore.
    await server.advanceSeconds(10)
    await cli.run('after-restore')
    expect((await cli.run('release-jobs', '--without-messages')).lines).toEqual([
      'The jobs are released.',
      '1 message will not be sent: see "messages --failed".',
    ])
    expect((await noticesTo('awa@example.cm')).map(({ key }) => key)).toEqual(['stored-after-the-restore'])
    expect((await cli.run('messages', '--failed')).lines.join('\n')).toContain('restored from a backup')
    await cli.run('messages', '--resend', 'all')
    expect(await noticesTo('awa@example.cm')).toHaveLength(2)
  })

  it('send no code that waited at the backup', async () => {
    const { db } = server.services
    await db.insertInto('outbox').values(waitingCode).execute()
    await cli.run('after-restore')
    expect((await server.outbox.messages()).filter(({ to }) => to === waitingCode.recipient)).toEqual([])
    await cli.run('release-jobs')
    expect((await server.outbox.messages()).filter(({ to }) => to === waitingCode.recipient)).toEqual([])
  })

  it('do not send again the messages in the list of a gateway; the command counts those that are unknown here', async () => {
    for (const key of ['payment:1:email', 'payment:2:email']) await store(key)
    await cli.run('after-restore')
    const file = cli.file(
      'sent.csv',
      'message',
      'payment:1:email',
      '<reminder-3-17-email@example.cm>',
      'otp-1-2',
      '<payment-3-email@example.cm>',
    )
    const lines = [
      '4 messages in the file: 1 waited or had failed here and count as sent now, 0 are known and stay as they are, 3 are unknown here.',
      'Unknown, by cause: reminder 1, otp 1, payment 1.',
    ]
    expect((await cli.run('messages', '--sent', file)).lines).toEqual(lines)
    expect((await cli.run('messages', '--sent', file)).lines[0]).toContain('0 waited or had failed here')
    await cli.run('release-jobs')
    expect((await noticesTo('awa@example.cm')).map(({ key }) => key)).toEqual(['payment:2:email'])
  })

  it('send the message about a change of contacts after the restore, also when the gateway sent one about a lost change (D70)', async () => {
    const { db } = server.services
    const changeContact = async (undoHash: string) => {
      const change = {
        applicant_id: applicant.applicantId,
        kind: 'email',
        value_after: 'awa@example.cm',
      } as const
      const values = { ...change, undo_hash: undoHash }
      return db.insertInto('contact_change').values(values).returning('id').executeTakeFirstOrThrow()
    }
    const lost = (await changeContact('before')).id + 1
    await cli.run('after-restore')
    await store(`contact-change:${(await changeContact('after')).id}:email`)
    const file = cli.file('sent.csv', 'message', `contact-change:${lost}:email`)
    await cli.run('messages', '--sent', file)
    await cli.run('release-jobs')
    expect(await noticesTo('awa@example.cm')).toHaveLength(1)
  })

  it('do not send again what a gateway has sent when its list comes after the release without messages (D107)', async () => {
    for (const key of ['payment:1:email', 'payment:2:email']) await store(key)
    await cli.run('after-restore')
    await cli.run('release-jobs', '--without-messages')
    const file = cli.file('sent.csv', 'message', 'payment:1:email')
    expect((await cli.run('messages', '--sent', file)).lines[0]).toContain('1 waited or had failed here')
    await cli.run('messages', '--resend', 'all')
    expect((await noticesTo('awa@example.cm')).map(({ key }) => key)).toEqual(['payment:2:email'])
    expect((await cli.run('messages', '--failed')).lines).toEqual(['No message has failed.'])
  })

  it('are held by a command that lists the orders and messages whose outcome only a provider or a gateway may know', async () => {
    await server.services.db
      .insertInto('payment')
      .values({
        application_id: created.id,
        order_id: 'PO-OPEN',
        method: 'MOBILE',
        amount: 110_000,
        currency: 'XAF',
      })
      .execute()
    const paid = { method: 'MOBILE', amount: 110_000, currency: 'XAF' } as const
    // An order of a deleted application (D112), and one that only a statement has (D108).
    await sql`insert into past_order (order_id, method, status, amount, currency, created_at, refund_due)
      values ('PO-PAST', 'MOBILE', 'SUCCESS', 110000, 'XAF', now(), true)`.execute(server.services.db)
    await server.services.db
      .insertInto('unknown_payment')
      .values({ ...paid, order_id: 'PO-UNKNOWN', provider_reference: '9' })
      .execute()
    await store('waited-at-the-backup')
    const text = (await cli.run('after-restore')).lines.join('\n')
    for (const order of ['PO-PAST', 'PO-UNKNOWN'])
      expect(text).toMatch(new RegExp(`${order} +- +MOBILE +110000 XAF +due back`))
    expect(text).toMatch(new RegExp(`PO-OPEN +${created.applicationNumber} +MOBILE +110000 XAF +open`))
    expect(text).toMatch(/email +receipt +1/)
    expect(text).toMatch(/The newest change in this database is of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
  })
})

/**
 * Makes the account due for deletion in an hour: the deletion was announced six days and 23 hours before the restore.
 */
async function announceAccountDeletion() {
  await sql`update applicant set deletion_at = now() + interval '1 hour' where id = ${applicant.applicantId}`.execute(
    server.services.db,
  )
}

describe('a deletion that was announced before the backup (D107)', () => {
  it('of an account comes seven days later, with a new message, because the owner may have kept the account since (D112)', async () => {
    await announceAccountDeletion()
    const { lines } = await cli.run('after-restore')
    expect(lines.join('\n')).toContain('1 account to be deleted: the seven days begin again')
    await cli.run('release-jobs', '--without-messages')
    await server.advanceSeconds(6 * 86_400)
    await eraseAccounts(server.services)
    expect((await noticesTo('237670000001')).map(({ key }) => key.split(':')[0])).toEqual([
      'account-deletion',
    ])
    expect(await countAccounts()).toBe(1)
    await server.advanceSeconds(86_400 + 1)
    await eraseAccounts(server.services)
    expect(await countAccounts()).toBe(0)
  })

  it('of an account is not taken for the newest change of the backup when the command runs again', async () => {
    await announceAccountDeletion()
    const first = await newestChange()
    await server.advanceSeconds(100)
    const again = await newestChange()
    // `advanceSeconds` has made the stored change 100 s older.
    expect(timeIn(again)).toBe(timeIn(first) - 100_000)
  })

  it('of an application is withdrawn, so that it is announced again: the applicant may have booked since (F12)', async () => {
    await server.services.db
      .updateTable('application')
      .set({ deletion_day: '2020-01-02', deletion_cause: 'never-enrolled', deletion_warned: 1 })
      .execute()
    await cli.run('after-restore')
    const rows = await server.services.db
      .selectFrom('application')
      .select(['deletion_day', 'deletion_warned'])
      .execute()
    expect(rows).toEqual([{ deletion_day: null, deletion_warned: null }])
  })
})

async function countAccounts(): Promise<number> {
  return (await server.services.db.selectFrom('applicant').select('id').execute()).length
}

/** Milliseconds since 1970 of the time in a line of the command. */
function timeIn(line = ''): number {
  return Date.parse(`${/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(line)?.[0]}Z`)
}

const waitingCode = {
  key: 'otp:1',
  channel: 'sms' as const,
  kind: 'otp',
  recipient: '237670000031',
  priority: 0,
  message: JSON.stringify({ subject: '', text: 'T', code: '123456' }),
}

describe('a process with JOBS=on or JOBS=off (D107)', { timeout: 180_000 }, () => {
  it.each(['on', 'off'])('writes a code to its outbox folder only with JOBS=on: JOBS=%s', async jobs => {
    const folder = mkdtempSync(join(tmpdir(), 'jobs-'))
    const databaseUrl = await newDatabaseUrl()
    const env = { PORT: '0', DATA_DIR: folder, DATABASE_URL: databaseUrl, CAPTCHA: 'off', JOBS: jobs }
    const warnings: string[] = []
    const logger = {
      info: () => undefined,
      warn: (_: object, text: string) => warnings.push(text),
      error: () => undefined,
    }
    const opened = await openServer({ config: configOf(env), logger })
    const payload = { msisdn: '237670000041', email: '' }
    const askForCode = async () =>
      (await opened.app.inject({ method: 'POST', url: `${apiRoot}/auth?lg=en`, payload })).statusCode
    // A busy machine may refuse a new sign-in at first (D92).
    await expect.poll(askForCode).toBe(200)
    if (jobs === 'on') await expect.poll(() => existsSync(join(folder, 'outbox'))).toBe(true)
    await opened.close()
    expect(existsSync(join(folder, 'outbox'))).toBe(jobs === 'on')
    expect(warnings.some(text => text.startsWith('JOBS is off'))).toBe(jobs === 'off')
    rmSync(folder, { recursive: true, force: true })
  })
})

async function newestChange(): Promise<string | undefined> {
  return (await cli.run('after-restore')).lines.find(line => line.includes('newest change'))
}
