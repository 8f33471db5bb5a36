import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { TokenClaims } from '#contract/session.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import { bodyOf, openBrowser, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { addSecondContact, openAccountWithBoth, proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { testedEngines } from '#support/test-tier.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'
const email = 'awa@example.cm'
const hourSeconds = 60 * 60

/** An account whose contacts are old enough to undo changes. */
async function openOldAccount(): Promise<SignedIn> {
  server = await startTestServer({ offices: 'none' })
  const owner = await openAccountWithBoth(server)
  bodyOf(await owner.call('createApplication'))
  await server.advanceSeconds(73 * hourSeconds)
  return signIn(server, { phone })
}

async function removeContact(who: SignedIn, kind: 'phone' | 'email') {
  await proveContact(server, who, kind === 'phone' ? { email } : { phone })
  return who.call('removeContact', { body: { kind } })
}

/** Returns the last undo code that was sent to a contact. */
async function undoCodeFor(to: string): Promise<string | undefined> {
  const texts = (await server.outbox.messages()).filter(each => each.to === to).map(({ text }) => text)
  return texts.map(text => /\/undo#(\S+)/.exec(text)?.[1]).findLast(code => code !== undefined)
}

function undo(code: string | undefined) {
  return openBrowser(server).call('undoContactChange', { body: { code: code ?? '' } })
}

/** Returns the first undo code that was sent to a contact. */
async function firstUndoCodeFor(to: string): Promise<string | undefined> {
  const texts = (await server.outbox.messages()).filter(each => each.to === to).map(({ text }) => text)
  return texts.map(text => /\/undo#(\S+)/.exec(text)?.[1]).find(code => code !== undefined)
}

async function kindsOf(who: SignedIn): Promise<string[]> {
  return bodyOf(await who.call('readAccount'))
    .data.contacts.map(({ kind }) => kind)
    .toSorted()
}

describe('the removal of a contact (D70)', () => {
  it('needs a code to the other contact, ends the other sessions, and notifies both contacts', async () => {
    const owner = await openOldAccount()
    const other = await signIn(server, { email })
    await server.advanceSeconds(61)
    await proveContact(server, owner, { phone })
    const refused = await owner.call('removeContact', { body: { kind: 'phone' } })
    expect(refused).toMatchObject({ kind: 'failed', failure: { reason: 'proof-needed' } })
    const { token } = bodyOf(await owner.call('removeContact', { body: { kind: 'email' } })).data
    const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    expect(TokenClaims.parse(JSON.parse(claims))).toMatchObject({ msisdn: phone, email: '' })
    expect(await kindsOf(owner)).toEqual(['phone'])
    expect((await other.call('listApplications')).status).toBe(401)
    const told = (await server.outbox.messages()).filter(({ text }) => text.includes('retirée'))
    expect(told.map(({ to }) => to).toSorted()).toEqual([phone, email])
    expect((await signIn(server, { email })).applicantId).not.toBe(owner.applicantId)
  })

  it('keeps the other contact in the session when the tab has a token from before that contact was added (D70, S04)', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    // Another tab of the session adds the e-mail address. This tab still has the token of the sign-in.
    bodyOf(await addSecondContact(server, owner, { by: { phone }, added: { msisdn: '', email } }))
    await server.advanceSeconds(61)
    const { token } = bodyOf(await removeContact(owner, 'phone')).data
    const refreshed = bodyOf(await owner.call('refreshToken')).data
    for (const each of [token, refreshed.token]) {
      const claims = Buffer.from(each.split('.')[1] ?? '', 'base64url').toString()
      expect(TokenClaims.parse(JSON.parse(claims))).toMatchObject({ msisdn: '', email })
    }
  })

  it('succeeds once more when its answer was lost, and never takes the last contact', async () => {
    const owner = await openOldAccount()
    bodyOf(await removeContact(owner, 'email'))
    bodyOf(await owner.call('removeContact', { body: { kind: 'email' } }))
    await server.advanceSeconds(61)
    await proveContact(server, owner, { phone })
    expect(await owner.call('removeContact', { body: { kind: 'phone' } })).toMatchObject({
      kind: 'failed',
      failure: { reason: 'wrong-state' },
    })
  })
})

describe('the removal of the phone number (D70)', () => {
  it('is possible five times a day at most, because its code comes by e-mail, which costs nothing, and no budget holds back the SMS about it (D109)', async () => {
    await openOldAccount()
    for (let count = 1; count <= 5; count += 1) {
      expect((await removePhone()).kind).toBe('ok')
      bodyOf(await undo(await undoCodeFor(phone)))
    }
    const refused = { status: 429, failure: { reason: 'too-many-requests' } }
    expect(await removePhone()).toMatchObject(refused)
    await server.advanceSeconds(12 * hourSeconds)
    expect((await removePhone()).kind).toBe('ok')
  })
})

/** Signs in again and removes the phone number, three hours later because the codes to a contact have limits (D20). */
async function removePhone() {
  await server.advanceSeconds(3 * hourSeconds)
  const who = await signIn(server, { phone })
  return removeContact(who, 'phone')
}

const notice = { key: 'payment:1', kind: 'payment', sms: 'paid', mail: { subject: '', text: 'paid' } }

/** Sends what is due, and returns the recipients of the notice. */
async function recipientsOfNotice(): Promise<string[]> {
  return (await server.outbox.messages()).filter(({ kind }) => kind === notice.kind).map(({ to }) => to)
}

/** Sets when the notice is due, in hours from now. */
async function setNoticeDue(hoursFromNow: number): Promise<void> {
  await sql`
    update outbox set next_at = now() + make_interval(hours => ${hoursFromNow})
    where kind = ${notice.kind}`.execute(server.services.db)
}

describe('a message that still waits when its contact is removed (D109)', () => {
  it('is not sent to the removed contact, which a thief may have added; the other contact gets the notice', async () => {
    const owner = await openOldAccount()
    await notifyApplicant(server.services.db, { applicant_id: owner.applicantId }, notice)
    await setNoticeDue(1)
    bodyOf(await removeContact(owner, 'email'))
    await setNoticeDue(0)
    expect(await recipientsOfNotice()).toEqual([phone])
    const unsent = await server.services.db
      .selectFrom('outbox')
      .select(['message', 'last_failure'])
      .where('key', '=', 'payment:1:email')
      .executeTakeFirstOrThrow()
    expect(unsent).toEqual({ message: {}, last_failure: 'the account no longer has this contact' })
  })

  it('is not sent to that contact either when it is about the deletion of the account (D112)', async () => {
    const owner = await openOldAccount()
    await server.advanceSeconds(61)
    await proveContact(server, owner, { email })
    bodyOf(await owner.call('deleteAccount'))
    // The mail server has been out of order since the deletion was announced.
    await sql`update outbox set next_at = now() + interval '1 hour' where channel = 'email'`.execute(
      server.services.db,
    )
    bodyOf(await removeContact(owner, 'email'))
    await sql`update outbox set next_at = now() where channel = 'email'`.execute(server.services.db)
    const told = (await server.outbox.messages()).filter(({ text }) => text.includes('seront supprimés'))
    expect(told.map(({ to }) => to)).toEqual([phone])
  })

  it('is not sent to the new holder of the contact, because it is about another account', async () => {
    const owner = await openOldAccount()
    await notifyApplicant(server.services.db, { applicant_id: owner.applicantId }, notice)
    await setNoticeDue(1)
    bodyOf(await removeContact(owner, 'email'))
    expect((await signIn(server, { email })).applicantId).not.toBe(owner.applicantId)
    await setNoticeDue(0)
    expect(await recipientsOfNotice()).toEqual([phone])
  })
})

/** A thief at an open session removes the address and adds another one; the owner begins again with the address. */
async function beginAgain() {
  const thief = await openOldAccount()
  bodyOf(await removeContact(thief, 'email'))
  await server.advanceSeconds(61)
  const added = { msisdn: '', email: 'thief@example.cm' }
  bodyOf(await addSecondContact(server, thief, { by: { phone }, added }))
  const owner = await signIn(server, { email })
  bodyOf(await owner.call('createApplication'))
  return { thief, owner, code: await undoCodeFor(email) }
}

describe('the undo of a changed contact (D70)', () => {
  it('within 72 hours, removes an added contact and ends the session of that contact', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await openAccountWithBoth(server)
    await server.advanceSeconds(71 * hourSeconds)
    const thief = await signIn(server, { email })
    expect(thief.applicantId).toBe(owner.applicantId)
    const code = await undoCodeFor(phone)
    expect(await undoCodeFor(email)).toBeUndefined()
    expect((await undo(code?.toLowerCase().replaceAll('-', ' '))).kind).toBe('ok')
    expect((await thief.call('listApplications')).status).toBe(401)
    await server.advanceSeconds(61)
    expect((await signIn(server, { email })).applicantId).not.toBe(owner.applicantId)
    expect(await kindsOf(await signIn(server, { phone }))).toEqual(['phone'])
  })

  it('is refused after 72 hours and with another code', async () => {
    server = await startTestServer({ offices: 'none' })
    await openAccountWithBoth(server)
    const code = await undoCodeFor(phone)
    const expired = { kind: 'failed', status: 400, failure: { reason: 'code-expired' } }
    expect(await undo('ABCD-EFGH-JKMN')).toMatchObject(expired)
    await server.advanceSeconds(72 * hourSeconds + 1)
    expect(await undo(code)).toMatchObject(expired)
  })

  it('gives a removed contact back, also from a new account without applications, and succeeds twice', async () => {
    const owner = await openOldAccount()
    bodyOf(await removeContact(owner, 'email'))
    await signIn(server, { email })
    const code = await undoCodeFor(email)
    for (const attempt of ['first', 'repeated']) expect((await undo(code)).kind, attempt).toBe('ok')
    await server.advanceSeconds(61)
    const again = await signIn(server, { email })
    expect(again.applicantId).toBe(owner.applicantId)
    expect(await kindsOf(again)).toEqual(['email', 'phone'])
  })

  it('undoes the later changes too, because one person may have made them all', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await openAccountWithBoth(server)
    await server.advanceSeconds(61)
    bodyOf(await removeContact(owner, 'phone'))
    const added = { msisdn: '237670000009', email: '' }
    await server.advanceSeconds(61)
    bodyOf(await addSecondContact(server, owner, { by: { email }, added }))
    const texts = (await server.outbox.messages()).filter(({ to }) => to === phone)
    const first = texts.map(({ text }) => /\/undo#(\S+)/.exec(text)?.[1]).find(Boolean)
    expect((await undo(first)).kind).toBe('ok')
    await server.advanceSeconds(61)
    const again = await signIn(server, { phone })
    expect(again.applicantId).toBe(owner.applicantId)
    expect(await kindsOf(again)).toEqual(['phone'])
  })

  it('is not possible for a contact that was added less than 72 hours ago and removed again', async () => {
    const owner = await openOldAccount()
    bodyOf(await removeContact(owner, 'email'))
    const added = { msisdn: '', email: 'thief@example.cm' }
    await server.advanceSeconds(61)
    bodyOf(await addSecondContact(server, owner, { by: { phone }, added }))
    await server.advanceSeconds(61)
    bodyOf(await removeContact(owner, 'email'))
    expect(await undoCodeFor(added.email)).toBeUndefined()
  })

  it('is not possible for a thief whose contact the owner removes after the undo of the thief’s change', async () => {
    const thief = await openOldAccount()
    bodyOf(await removeContact(thief, 'phone'))
    // Both contacts get the code that undoes this removal.
    const code = await undoCodeFor(email)
    expect(code).toBeDefined()
    expect((await undo(await undoCodeFor(phone))).kind).toBe('ok')
    await server.advanceSeconds(61)
    const owner = await signIn(server, { phone })
    await server.advanceSeconds(61)
    bodyOf(await removeContact(owner, 'email'))
    // The message to this address about the owner's removal has no code.
    expect(await undoCodeFor(email)).toBe(code)
    expect(await undo(code)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'code-expired' },
    })
    expect(await kindsOf(owner)).toEqual(['phone'])
  })

  it('is possible again when the thief repeats the removal, by the code of the new message', async () => {
    const thief = await openOldAccount()
    bodyOf(await removeContact(thief, 'phone'))
    const old = await undoCodeFor(phone)
    expect((await undo(old)).kind).toBe('ok')
    await server.advanceSeconds(61)
    const thiefAgain = await signIn(server, { email })
    await server.advanceSeconds(61)
    bodyOf(await removeContact(thiefAgain, 'phone'))
    expect(await undo(old)).toMatchObject({ kind: 'failed', failure: { reason: 'code-expired' } })
    expect(await kindsOf(thiefAgain)).toEqual(['email'])
    expect((await undo(await undoCodeFor(phone))).kind).toBe('ok')
    await server.advanceSeconds(61)
    expect(await kindsOf(await signIn(server, { phone }))).toEqual(['email', 'phone'])
  })

  describe('when a removed contact has applications of its own since', () => {
    it('undoes all but that removal, ends the session of the thief, and says so', async () => {
      const { thief, owner, code } = await beginAgain()
      expect(bodyOf(await undo(code)).data).toEqual({ isComplete: false })
      expect((await thief.call('readAccount')).status).toBe(401)
      expect(await kindsOf(owner)).toEqual(['email'])
      await server.advanceSeconds(61)
      const again = await signIn(server, { phone })
      expect(again.applicantId).toBe(thief.applicantId)
      expect(await kindsOf(again)).toEqual(['phone'])
      const told = (await server.outbox.messages()).filter(({ text }) => text.includes('sauf un'))
      expect(told.map(({ to }) => to)).toEqual([phone])
    })

    it('has the same answer when it is repeated, and tells of it once', async () => {
      const { code, thief } = await beginAgain()
      for (const attempt of ['first', 'repeated'])
        expect(bodyOf(await undo(code)).data, attempt).toEqual({ isComplete: false })
      const told = (await server.outbox.messages()).filter(({ text }) => text.includes('sauf un'))
      expect(told).toHaveLength(1)
      await server.advanceSeconds(61)
      const again = await signIn(server, { phone })
      expect(again.applicantId).toBe(thief.applicantId)
      const { events } = bodyOf(await again.call('readAccount')).data
      expect(events.filter(({ kind }) => kind === 'contact-change-undone')).toHaveLength(1)
    })

    it('takes the account from the thief, when only the thief has a contact of it', async () => {
      server = await startTestServer({ offices: 'none' })
      const thief = await openAccountWithBoth(server)
      await server.advanceSeconds(61)
      bodyOf(await removeContact(thief, 'phone'))
      bodyOf(await (await signIn(server, { phone })).call('createApplication'))
      expect(bodyOf(await undo(await firstUndoCodeFor(phone))).data).toEqual({ isComplete: false })
      expect((await thief.call('readAccount')).status).toBe(401)
      await server.advanceSeconds(61)
      expect((await signIn(server, { email })).applicantId).not.toBe(thief.applicantId)
    })
  })
})

describe.each(testedEngines)('a removal and a sign-in at the same time, on %s', database => {
  it('leave no session that the removed contact has opened (D70)', async () => {
    server = await startTestServer({ database, offices: 'none' })
    const owner = await openAccountWithBoth(server)
    await server.advanceSeconds(61)
    const browser = openBrowser(server)
    bodyOf(await browser.call('auth', { body: { msisdn: '', email } }))
    const otp = await server.outbox.codeFor(email)
    await proveContact(server, owner, { phone })
    const [signedIn] = await Promise.all([
      browser.call('login', { body: { msisdn: '', email, otp } }),
      owner.call('removeContact', { body: { kind: 'email' } }),
    ])
    const { sessions } = bodyOf(await owner.call('readAccount')).data
    expect(sessions).toHaveLength(1)
    const opened = openBrowser(server, bodyOf(signedIn).data.token)
    const read = await opened.call('readAccount')
    expect(read.kind === 'failed' || bodyOf(signedIn).data.applicantId !== owner.applicantId).toBe(true)
  })
})
