import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { TokenClaims } from '#contract/session.ts'
import { createApp } from '#server/start/app.ts'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { loggerSettings } from '#server/monitoring/logger.ts'
import { createMetrics } from '#server/monitoring/metrics.ts'
import type { Services } from '#server/calls/services.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { waitForNextMillisecond } from '#support/providers/slow-clock.ts'
import { bodyOf, openBrowser, refreshCookie, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { addSecondContact, openAccountWithBoth, proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { createPaidApplication, findFreeTime } from '../paid-application.ts'
import { findEmptyTables, findTexts, listIds, markAllRows } from './filled-account.ts'
import { readTakenPlaces } from '../taken-places.ts'

const open: { close: () => PromiseLike<unknown> }[] = []
afterEach(async () => {
  // The last first: an app uses the database of its server.
  for (const opened of open.splice(0).toReversed()) await opened.close()
})

const phone = '237670000001'
const email = 'awa@example.cm'
const daySeconds = 86_400

async function start(offices: 'seeded' | 'none' = 'none'): Promise<TestServer> {
  const server = await startTestServer({ offices, env: { PAYMENT_METHODS: 'MOCK,WHITELIST' } })
  open.push(server)
  return server
}

async function askForDeletion(
  server: TestServer,
  who: SignedIn,
  contact: Parameters<typeof proveContact>[2] = { phone },
): Promise<string> {
  // A contact gets one code a minute (D20).
  await server.advanceSeconds(61)
  await proveContact(server, who, contact)
  return bodyOf(await who.call('deleteAccount')).data.deletesAt
}

/** Signs in again and proves a contact, three hours later because the codes to a contact have limits (D20). */
async function signInWithProof(
  server: TestServer,
  contact: Parameters<typeof proveContact>[2] = { email },
): Promise<SignedIn> {
  await server.advanceSeconds(3 * 3_600)
  const who = await signIn(server, { phone })
  await server.advanceSeconds(61)
  await proveContact(server, who, contact)
  return who
}

async function announceAndKeep(server: TestServer): Promise<void> {
  const who = await signInWithProof(server)
  bodyOf(await who.call('deleteAccount'))
  bodyOf(await who.call('keepAccount'))
}

/** Announces and cancels the deletion with codes by e-mail alone. Returns the status of the announcement. */
async function announceAndKeepBy(server: TestServer, address: string): Promise<number> {
  await server.advanceSeconds(20 * 60)
  await waitForNextMillisecond(server.services)
  const who = await signIn(server, { email: address })
  await proveContact(server, who, { email: address })
  const { status } = await who.call('deleteAccount')
  // Before the cancellation: a message about a cancelled deletion is not sent (D94).
  await server.outbox.sendDue()
  await who.call('keepAccount')
  return status
}

function claimsOf(token: string): TokenClaims {
  return TokenClaims.parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
}

describe('the deletion of an account (D112)', () => {
  it('needs a fresh code, tells all contacts the day, and ends the other sessions', async () => {
    const server = await start()
    const owner = await openAccountWithBoth(server)
    const other = await signIn(server, { email })
    expect((await owner.call('version')).kind === 'ok').toBe(true)
    expect(bodyOf(await owner.call('version')).data.features).toContain('deleteAccount')
    expect(await owner.call('deleteAccount')).toMatchObject({
      status: 409,
      failure: { reason: 'proof-needed' },
    })
    const deletesAt = await askForDeletion(server, owner)
    const days = (Date.parse(deletesAt) - server.clock.now().getTime()) / (daySeconds * 1_000)
    expect(days).toBeCloseTo(7, 2)
    const told = (await server.outbox.messages()).filter(({ text }) => text.includes('seront supprimés'))
    expect(told.map(({ to }) => to).toSorted()).toEqual([phone, email])
    const [year, month, date] = deletesAt.slice(0, 10).split('-')
    for (const { text } of told) expect(text).toContain(`${date}.${month}.${year}`)
    expect((await other.call('listApplications')).status).toBe(401)
    // The answer of the first call may have been lost: no second proof, no second message.
    expect(bodyOf(await owner.call('deleteAccount')).data.deletesAt).toBe(deletesAt)
    expect(
      (await server.outbox.messages()).filter(({ text }) => text.includes('seront supprimés')),
    ).toHaveLength(2)
  })

  it('is announced five times a day at most, because no budget holds back the SMS about it (D109)', async () => {
    const server = await start()
    await openAccountWithBoth(server)
    await announceAndKeep(server)
    // Announcements of the day before do not count.
    await sql`insert into security_event (kind, subject, near, wide, at)
      select kind, subject, near, wide, at - interval '25 hours' from security_event, generate_series(1, 5)
      where kind = 'deletion-announced'`.execute(server.services.db)
    for (let count = 2; count <= 5; count += 1) await announceAndKeep(server)
    const sixth = await signInWithProof(server)
    const refused = { status: 429, failure: { reason: 'too-many-requests' } }
    expect(await sixth.call('deleteAccount')).toMatchObject(refused)
  })

  it('does not stop the owner from removing the contact of a thief who has announced it as often as possible (D69, D109)', async () => {
    const server = await start()
    await openAccountWithBoth(server)
    for (let count = 1; count <= 5; count += 1) await announceAndKeep(server)
    const owner = await signInWithProof(server, { phone })
    bodyOf(await owner.call('removeContact', { body: { kind: 'email' } }))
  })

  it('is not announced when twenty SMS about the safety of accounts went to the number in a day, counted over all accounts that had the number (D109)', async () => {
    const server = await start()
    const statuses: number[] = []
    for (const address of ['first@example.cm', 'second@example.cm']) {
      const who = await signIn(server, { email: address })
      bodyOf(
        await addSecondContact(server, who, { by: { email: address }, added: { msisdn: phone, email: '' } }),
      )
      for (let count = 0; count < 5; count += 1) statuses.push(await announceAndKeepBy(server, address))
    }
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 200), 429])
    const sent = await server.outbox.messages()
    expect(sent.filter(({ to, text }) => to === phone && !/\d{6}/.test(text))).toHaveLength(20)
  })

  it('tells the other devices at their next refresh to erase the data that they keep', async () => {
    const server = await start()
    const owner = await openAccountWithBoth(server)
    const other = await signIn(server, { email })
    await askForDeletion(server, owner)
    // The device may lose the first answer, or be left before it has erased anything.
    for (let count = 0; count < 2; count += 1)
      expect(await other.call('refreshToken')).toMatchObject({
        status: 401,
        failure: { reason: 'account-deleted' },
      })
  })

  it('clears the cookie of another device when the owner has kept the account', async () => {
    const server = await start()
    const owner = await openAccountWithBoth(server)
    const other = await signIn(server, { email })
    await askForDeletion(server, owner)
    bodyOf(await (await signIn(server, { phone })).call('keepAccount'))
    expect(other.cookies.has(refreshCookie)).toBe(true)
    expect(await other.call('refreshToken')).toMatchObject({
      status: 401,
      failure: { reason: 'not-signed-in' },
    })
    expect(other.cookies.has(refreshCookie)).toBe(false)
  })

  it('erases nothing for seven days, in which a sign-in sees the day and can keep the account', async () => {
    const server = await start()
    const owner = await openAccountWithBoth(server)
    const { id } = bodyOf(await owner.call('createApplication')).data
    const deletesAt = await askForDeletion(server, owner)
    await server.advanceSeconds(6.9 * daySeconds)
    await eraseAccounts(server.services)
    const back = await signIn(server, { phone })
    // `advanceSeconds` makes the stored times earlier, also that of the deletion.
    const movedMs = Date.parse(deletesAt) - Date.parse(claimsOf(back.token).deletesAt ?? '')
    expect(movedMs / (daySeconds * 1_000)).toBeCloseTo(6.9, 2)
    expect(claimsOf(bodyOf(await back.call('refreshToken')).data.token).deletesAt).toBeDefined()
    const { token } = bodyOf(await back.call('keepAccount')).data
    expect(claimsOf(token).deletesAt).toBeUndefined()
    const told = (await server.outbox.messages()).filter(({ text }) => text.includes('ne sera pas supprimé'))
    expect(told.map(({ to }) => to).toSorted()).toEqual([phone, email])
    await server.advanceSeconds(2 * daySeconds)
    await eraseAccounts(server.services)
    const kept = await signIn(server, { phone })
    expect(kept.applicantId).toBe(owner.applicantId)
    expect(bodyOf(await kept.call('listApplications')).data).toMatchObject([{ id }])
  })

  it('leaves no day in the tokens that a tab gets after the owner has kept the account; these tokens have the contacts as another tab has changed them', async () => {
    const server = await start()
    const owner = await signIn(server, { phone })
    await askForDeletion(server, owner)
    // Two tabs of one session: each call has the token of this sign-in, with the phone alone and the day of the deletion.
    const back = await signIn(server, { phone })
    await server.advanceSeconds(61)
    const added = { msisdn: '', email }
    bodyOf(await addSecondContact(server, back, { by: { phone }, added }))
    const kept = bodyOf(await back.call('keepAccount')).data
    expect(claimsOf(kept.token)).toMatchObject({ msisdn: phone, email })
    expect(claimsOf(kept.token).deletesAt).toBeUndefined()
    await server.advanceSeconds(61)
    await proveContact(server, back, { phone })
    const removed = bodyOf(await back.call('removeContact', { body: { kind: 'email' } })).data
    expect(claimsOf(removed.token).email).toBe('')
    expect(claimsOf(removed.token).deletesAt).toBeUndefined()
  })

  it('is cancelled when the owner undoes a change of contacts that a thief has made', async () => {
    const server = await start()
    const owner = await openAccountWithBoth(server)
    bodyOf(await owner.call('createApplication'))
    // For 72 hours after its addition, the address gets no code that undoes a change (D70).
    await server.advanceSeconds(73 * 3_600)
    const thief = await signIn(server, { phone })
    await server.advanceSeconds(61)
    await proveContact(server, thief, { phone })
    bodyOf(await thief.call('removeContact', { body: { kind: 'email' } }))
    await askForDeletion(server, thief)
    const texts = (await server.outbox.messages()).filter(({ to }) => to === email).map(({ text }) => text)
    const code = texts.map(text => /\/undo#(\S+)/.exec(text)?.[1]).findLast(each => each !== undefined)
    for (let count = 0; count < 2; count += 1)
      bodyOf(await openBrowser(server).call('undoContactChange', { body: { code: code ?? '' } }))
    // An owner who wants the deletion must learn that it has to be requested again.
    const told = (await server.outbox.messages()).filter(({ text }) => text.includes('ne sera pas supprimé'))
    expect(told.map(({ to }) => to).toSorted()).toEqual([phone, email])
    await server.advanceSeconds(8 * daySeconds)
    await eraseAccounts(server.services)
    const back = await signIn(server, { email })
    expect(back.applicantId).toBe(owner.applicantId)
    const kinds = bodyOf(await back.call('readAccount')).data.events.map(({ kind }) => kind)
    expect(kinds.filter(kind => kind.startsWith('deletion-')).toSorted()).toEqual([
      'deletion-announced',
      'deletion-cancelled',
    ])
  })

  it.each(['ERROR', 'SUCCESS'])('waits until the provider has said how a payment ended: %s', async status => {
    const server = await start()
    const owner = await openAccountWithBoth(server)
    const { id } = bodyOf(await owner.call('createApplication')).data
    bodyOf(await owner.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
    bodyOf(await owner.call('startMockPayment', { query: { applicationId: id } }))
    await askForDeletion(server, owner)
    await server.advanceSeconds(7 * daySeconds)
    await eraseAccounts(server.services)
    expect((await signIn(server, { phone })).applicantId).toBe(owner.applicantId)
    await sql`update payment set status = ${status}, ask_at = null`.execute(server.services.db)
    await eraseAccounts(server.services)
    expect((await signIn(server, { phone })).applicantId).not.toBe(owner.applicantId)
  })
})

/** Opens a server that logs at the level debug with the real settings. */
async function startLogged(): Promise<{
  server: TestServer
  log: () => string
  scrape: () => Promise<string>
}> {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const plain = await start('seeded')
  const logger = pino(loggerSettings('debug'), sink)
  const services: Services = { ...plain.services, logger }
  const metrics = createMetrics(services, plain.poolLoad)
  const app = createApp(services, {
    onAnswered: answered => {
      logger.info(answered, 'answered')
      metrics.observe(answered)
    },
  })
  open.push(app)
  const server = { ...plain, app, services }
  return { server, log: () => lines.join(''), scrape: () => metrics.registry.metrics() }
}

/** Stores a row of the account in every personal table, most of them by the calls of a real visit. */
async function fillAccount(server: TestServer): Promise<{ owner: SignedIn; form: Record<string, string> }> {
  const { db } = server.services
  const removed = { msisdn: '', email: 'old.marker@example.cm' }
  const owner = await openAccountWithBoth(server, { phone, email: removed.email })
  await server.advanceSeconds(61)
  await proveContact(server, owner, { phone })
  bodyOf(await owner.call('removeContact', { body: { kind: 'email' } }))
  await sql`insert into whitelist (kind, value) values ('phone', ${phone})`.execute(db)
  const form = { surname: 'MARKERSURNAME', givenName: 'MARKERGIVEN', resAddressStreet: 'MARKERSTREET' }
  const { applicationId } = await createPaidApplication(server, owner, { ...firstPassport, ...form })
  const appointmentDate = await findFreeTime(owner, applicationId)
  const { id } = bodyOf(
    await owner.call('createAppointment', {
      body: { applicationId, officeId: '1', appointmentDate, generalQueue: false },
      key: crypto.randomUUID(),
    }),
  ).data
  bodyOf(await owner.call('confirmAppointment', { params: { id }, key: crypto.randomUUID() }))
  await db.insertInto('watch').values({ application_id: applicationId, office_id: 1 }).execute()
  await sql`insert into card_page (ticket_hash, payment_id, form, expires_at)
    select 'ticket', id, '{}', now() + interval '1 hour' from payment limit 1`.execute(db)
  await sql`insert into receipt_ticket (hash, session_id, application_id, expires_at)
    select 'ticket', session.id, application.id, now() + interval '1 hour' from session, application limit 1`.execute(
    db,
  )
  await sql`update payment set phone = ${phone}, provider_reference = 'ref' where phone = ''`.execute(db)
  return { owner, form }
}

describe('the orders of a deleted account (D112)', () => {
  it('are counted, and an operator can still list and refund an order', async () => {
    const server = await start()
    const { db } = server.services
    const owner = await openAccountWithBoth(server)
    await createPaidApplication(server, owner)
    const fromProvider = {
      phone: '237699000123',
      channel: 'wallet-of-test',
      operator_reference: 'OPERATOR-REFERENCE-7',
    }
    const [order] = await db
      .updateTable('payment')
      .set({ refund_due: true, ...fromProvider })
      .returning('order_id')
      .execute()
    await askForDeletion(server, owner)
    await server.advanceSeconds(7 * daySeconds + 1)
    await eraseAccounts(server.services)
    const officeCommand = openCliFixture(server.services)
    const number = order?.order_id ?? ''
    const due = (await officeCommand.run('refunds')).lines.find(line => line.startsWith(number))
    for (const text of Object.values(fromProvider)) expect(due).toContain(text)
    const counted = async () =>
      (await officeCommand.run('statistics', '2000-01-01', '2100-01-01')).lines.join('\n')
    expect(await counted()).toContain('REFUND_DUE')
    expect((await officeCommand.run('refunds', '--done', number)).kind).toBe('done')
    expect((await officeCommand.run('refunds', '--done', number)).kind).toBe('refused')
    expect(await findTexts(db, Object.values(fromProvider))).toEqual([])
    expect(await counted()).toContain('REFUNDED')
    officeCommand.close()
  })

  it('do not let the operator load a used payment of the old system again', async () => {
    const server = await start()
    const { db } = server.services
    const officeCommand = openCliFixture(server.services)
    const file = officeCommand.file('whitelist.csv', 'contact,otherContact', `+${phone},`)
    expect((await officeCommand.run('load-whitelist', file)).kind).toBe('done')
    const owner = await signIn(server, { phone })
    expect(await payByWhitelist(owner)).toBe(200)
    await askForDeletion(server, owner)
    await server.advanceSeconds(7 * daySeconds + 1)
    await eraseAccounts(server.services)
    expect((await officeCommand.run('load-whitelist', file)).lines.join()).toContain('0 added')
    expect(await db.selectFrom('whitelist').select('kind').execute()).toHaveLength(1)
    expect(await payByWhitelist(await signIn(server, { phone }))).not.toBe(200)
    officeCommand.close()
  })

  it('leave an unused payment of the old system, for one use, to a payer who had an account for each of two contacts (PAY31)', async () => {
    const server = await start()
    const officeCommand = openCliFixture(server.services)
    // Both lines are one payment: the second line also has the phone number of the first.
    for (const [line, contact] of [
      [`+${phone},`, { phone }],
      [`+${phone},${email}`, { email }],
    ] as const) {
      const file = officeCommand.file('whitelist.csv', 'contact,otherContact', line)
      expect((await officeCommand.run('load-whitelist', file)).lines.join()).toContain('1 added')
      await askForDeletion(server, await signIn(server, contact), contact)
      await server.advanceSeconds(7 * daySeconds + 1)
      await eraseAccounts(server.services)
    }
    expect(await payByWhitelist(await signIn(server, { phone }))).toBe(200)
    expect(await payByWhitelist(await signIn(server, { email }))).not.toBe(200)
    officeCommand.close()
  })
})

async function payByWhitelist(who: SignedIn): Promise<number> {
  const { id } = bodyOf(await who.call('createApplication')).data
  bodyOf(await who.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  return (await who.call('startWhitelistPayment', { query: { applicationId: id } })).status
}

describe('an account after its deletion (D112)', () => {
  it('has left no contact, id or answer in the tables, the log and the metrics, and its orders are kept', async () => {
    const { server, log, scrape } = await startLogged()
    const { db } = server.services
    const { owner, form } = await fillAccount(server)
    await askForDeletion(server, owner)
    expect(await findEmptyTables(db), 'store a row of the account in these tables').toEqual([])
    const orders = await db.selectFrom('payment').select(['order_id', 'amount', 'status']).execute()
    const numbers = await db.selectFrom('application').select('number').execute()
    const ids = await listIds(db)
    const markers = await markAllRows(db)
    expect(markers.length).toBeGreaterThan(25)
    expect(await findTexts(db, markers)).toHaveLength(markers.length)
    const bystander = await signIn(server, { phone: '237670000099' })
    bodyOf(await bystander.call('createApplication', { key: crypto.randomUUID() }))

    await server.advanceSeconds(7 * daySeconds + 1)
    await eraseAccounts(server.services)

    const entries = await db.selectFrom('whitelist').select('entry').execute()
    const erased = [
      ...markers,
      ...Object.values(form),
      phone,
      phone.slice(3),
      'old.marker@example.cm',
      ...numbers.map(({ number }) => number),
      // The entries of the whitelist stay, with a hash for the contact.
      ...ids.filter(id => !entries.some(({ entry }) => entry === id)),
    ]
    expect(await findTexts(db, erased)).toEqual([])
    expect(erased.filter(text => log().includes(text))).toEqual([])
    const metrics = await scrape()
    expect(erased.filter(text => metrics.includes(text))).toEqual([])
    expect(await db.selectFrom('past_order').select(['order_id', 'amount', 'status']).execute()).toEqual(
      orders,
    )
    expect(await readTakenPlaces(db)).toEqual([])
    const applicants = await db.selectFrom('application').select('applicant_id').execute()
    expect(applicants).toEqual([{ applicant_id: bystander.applicantId }])
    const again = await signIn(server, { phone })
    expect(again.applicantId).not.toBe(owner.applicantId)
    expect(bodyOf(await again.call('listApplications')).data).toEqual([])
  })

  it('lets a payment of the old system be used once, also after a new sign-in (PAY31)', async () => {
    const server = await start()
    const { db } = server.services
    await sql`insert into whitelist (kind, value) values ('phone', ${phone})`.execute(db)
    const first = await signIn(server, { phone })
    await askForDeletion(server, first)
    await server.advanceSeconds(7 * daySeconds + 1)
    await eraseAccounts(server.services)
    const second = await signIn(server, { phone })
    expect(await payByWhitelist(second)).toBe(200)
    await askForDeletion(server, second)
    await server.advanceSeconds(7 * daySeconds + 1)
    await eraseAccounts(server.services)
    expect(await payByWhitelist(await signIn(server, { phone }))).not.toBe(200)
  })
})
