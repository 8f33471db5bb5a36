import { type RawBuilder, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { bodyOf, openBrowser, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { forceRace, rowOfApplication } from '#support/servers/forced-race.ts'
import { openAccountWithBoth, proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer({ database: 'postgresql', offices: 'none' })
})
afterEach(() => server.close())

const phone = '237670000001'
const email = 'awa@example.cm'

const rowOfAccount = ({ applicantId }: SignedIn): RawBuilder<unknown> =>
  sql`select from applicant where id = ${applicantId} for update`

async function kindsOf({ applicantId }: SignedIn): Promise<string[]> {
  const { db } = server.services
  const rows = await db.selectFrom('contact').select('kind').where('applicant_id', '=', applicantId).execute()
  return rows.map(({ kind }) => kind)
}

/** The account of one person at two devices, each of which has proven one contact. */
async function openTwoDevices(): Promise<{ first: SignedIn; second: SignedIn }> {
  await openAccountWithBoth(server)
  await server.advanceSeconds(73 * 3_600)
  const second = await signIn(server, { email })
  const first = await signIn(server, { phone })
  await server.advanceSeconds(61)
  await proveContact(server, first, { phone })
  await proveContact(server, second, { email })
  return { first, second }
}

describe('the rules of an account under its lock (D70, D96)', () => {
  it('leave one contact when two devices remove one each', async () => {
    const { first, second } = await openTwoDevices()
    const [removed, late] = await forceRace(server.services.db, {
      lock: rowOfAccount(first),
      actions: [
        () => first.call('removeContact', { body: { kind: 'email' } }),
        () => second.call('removeContact', { body: { kind: 'phone' } }),
      ],
    })
    expect(removed.status).toBe(200)
    // The first removal has ended the second session.
    expect(late.kind).toBe('failed')
    expect(await kindsOf(first)).toEqual(['phone'])
  })

  it('let one proof allow one change: the removal of a contact, and not the deletion of the account too', async () => {
    const owner = await openAccountWithBoth(server)
    await server.advanceSeconds(61)
    await proveContact(server, owner, { phone })
    const [removed, deleted] = await forceRace(server.services.db, {
      lock: rowOfAccount(owner),
      actions: [
        () => owner.call('removeContact', { body: { kind: 'email' } }),
        () => owner.call('deleteAccount'),
      ],
    })
    expect(removed.status).toBe(200)
    expect(deleted).toMatchObject({ kind: 'failed', failure: { reason: 'proof-needed' } })
  })

  it('keep no account that the job erases while the call waits (D112)', async () => {
    const owner = await signIn(server, { phone })
    const { id } = bodyOf(await owner.call('createApplication')).data
    await sql`update applicant set deletion_at = now()`.execute(server.services.db)
    const [, kept] = await forceRace(server.services.db, {
      lock: rowOfApplication(id),
      actions: [() => eraseAccounts(server.services), () => owner.call('keepAccount')],
    })
    expect(kept).toMatchObject({ kind: 'failed', status: 401 })
    expect(await kindsOf(owner)).toEqual([])
  })

  it('move no contact of an applicant who begins an application while the call waits (D70)', async () => {
    const owner = await signIn(server, { email })
    const other = await signIn(server, { phone })
    await proveContact(server, other, { phone })
    const added = { msisdn: '', email }
    await server.advanceSeconds(61)
    bodyOf(await other.call('addContact', { body: added }))
    const otp = await server.outbox.codeFor(email)
    const [begun, joined] = await forceRace(server.services.db, {
      lock: rowOfAccount(owner),
      actions: [
        () => owner.call('createApplication'),
        () => other.call('confirmContact', { body: { ...added, otp } }),
      ],
    })
    expect(begun.status).toBe(200)
    expect(joined).toMatchObject({ kind: 'failed', failure: { reason: 'contact-refused' } })
    expect(await kindsOf(owner)).toEqual(['email'])
  })

  it('undo a change once when its code arrives twice at the same moment', async () => {
    const owner = await openAccountWithBoth(server)
    const texts = (await server.outbox.messages()).map(({ text }) => /\/undo#(\S+)/.exec(text)?.[1])
    const code = texts.findLast(each => each !== undefined) ?? ''
    const undo = () => openBrowser(server).call('undoContactChange', { body: { code } })
    const answers = await forceRace(server.services.db, {
      lock: rowOfAccount(owner),
      actions: [undo, undo],
    })
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await kindsOf(owner)).toEqual(['phone'])
    const undone = await server.services.db
      .selectFrom('security_event')
      .select('id')
      .where('kind', '=', 'contact-change-undone')
      .execute()
    expect(undone).toHaveLength(1)
  })
})
