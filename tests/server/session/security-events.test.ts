import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { deleteExpiredRows } from '#server/features/deletion/delete-expired-rows.ts'
import { openBrowser, bodyOf, signIn, type TestBrowser } from '#support/servers/api-client.ts'
import { addSecondContact, openAccountWithBoth, proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'

async function eventsOf(applicant: Pick<Awaited<ReturnType<typeof signIn>>, 'call'>) {
  return bodyOf(await applicant.call('readAccount')).data.events.map(({ kind }) => kind)
}

/** Refreshes with these cookies in another browser. */
async function refreshWith(cookies: ReadonlyMap<string, string>) {
  const browser = openBrowser(server)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser.call('refreshToken')
}

/** The calls come from outside, because in the demo the server records no network for calls of its own machine. */
function fromOutside(browser: TestBrowser): Pick<TestBrowser, 'call'> {
  return {
    call: (name, parts) =>
      browser.call(name, { ...parts, headers: { ...parts?.headers, 'x-forwarded-for': '41.202.207.10' } }),
  }
}

describe('the events of an account (D111)', () => {
  it('show a sign-in from a new device, one from a known device, and a wrong code', async () => {
    server = await startTestServer({ offices: 'none' })
    const first = await signIn(server, { phone })
    await server.advanceSeconds(120)
    const contact = { msisdn: phone, email: '' }
    bodyOf(await first.call('auth', { body: contact }))
    const code = await server.outbox.codeFor(phone)
    const wrong = code === '000000' ? '111111' : '000000'
    expect((await first.call('login', { body: { ...contact, otp: wrong } })).kind).toBe('failed')
    const { token } = bodyOf(await first.call('login', { body: { ...contact, otp: code } })).data
    const headers = { authorization: `Bearer ${token}` }
    const { events } = bodyOf(await first.call('readAccount', { headers })).data
    expect(events.map(({ kind }) => kind)).toEqual(['signed-in', 'code-wrong', 'signed-in-new-device'])
    // The clock of the test does not move the stored times of events, so two of them may be equal.
    const times = events.map(({ at }) => Date.parse(at))
    expect(times).toEqual(times.toSorted((one, other) => other - one))
  })

  it('show a new device at each sign-in whose code went to the other contact, because such a code makes no browser known (D90)', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await openAccountWithBoth(server)
    const browser = openBrowser(server)
    const contact = { msisdn: phone, email: '' }
    for (const _ of [1, 2]) {
      await server.advanceSeconds(61)
      bodyOf(await browser.call('auth', { body: { ...contact, otherChannel: true } }))
      const otp = await server.outbox.codeFor('awa@example.cm')
      bodyOf(await browser.call('login', { body: { ...contact, otp } }))
    }
    expect((await eventsOf(owner)).slice(0, 2)).toEqual(['signed-in-new-device', 'signed-in-new-device'])
  })

  it('show changes of contacts and ended sessions, to their owner only', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await openAccountWithBoth(server)
    const stranger = await signIn(server, { phone: '237670000002' })
    await signIn(server, { email: 'awa@example.cm' })
    bodyOf(await owner.call('endOtherSessions'))
    await proveContact(server, owner, { phone })
    bodyOf(await owner.call('removeContact', { body: { kind: 'email' } }))
    expect(await eventsOf(owner)).toEqual([
      'contact-removed',
      'session-ended',
      'signed-in-new-device',
      'contact-added',
      'signed-in-new-device',
    ])
    expect(await eventsOf(stranger)).toEqual(['signed-in-new-device'])
  })

  it('show that a session was used in two places', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    const stolen = new Map(owner.cookies)
    for (const _ of [1, 2]) {
      bodyOf(await owner.call('refreshToken'))
      // After the 10 s in which a repeated refresh gets the same successor (D22).
      await server.advanceSeconds(11)
    }
    expect((await refreshWith(stolen)).status).toBe(401)
    const again = await signIn(server, { phone })
    expect(await eventsOf(again)).toContain('token-reused')
  })

  it('name the network of a changed contact, of its undo and of the use in two places', async () => {
    server = await startTestServer({ offices: 'none', env: { TRUSTED_PROXIES: 'loopback' } })
    await openAccountWithBoth(server)
    // Both contacts are then older than 72 hours, so both get the code that undoes a change.
    await server.advanceSeconds(73 * 3_600)
    const owner = fromOutside(await signIn(server, { phone }))
    await proveContact(server, owner, { phone })
    bodyOf(await owner.call('removeContact', { body: { kind: 'email' } }))
    const texts = (await server.outbox.messages()).filter(({ to }) => to === phone).map(({ text }) => text)
    const code = texts.map(text => /\/undo#(\S+)/.exec(text)?.[1]).findLast(Boolean) ?? ''
    bodyOf(await fromOutside(openBrowser(server)).call('undoContactChange', { body: { code } }))

    const other = await signIn(server, { phone: '237670000002' })
    const added = { msisdn: '', email: 'other@example.cm' }
    bodyOf(await addSecondContact(server, fromOutside(other), { by: { phone: '237670000002' }, added }))
    const thief = openBrowser(server)
    for (const [name, value] of other.cookies) thief.cookies.set(name, value)
    for (const _ of [1, 2]) bodyOf(await other.call('refreshToken'))
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await server.advanceSeconds(11)
    expect((await fromOutside(thief).call('refreshToken')).status).toBe(401)

    // `near` and `wide`: the two networks of an address (`networksOf`).
    const rows = await server.services.db
      .selectFrom('security_event')
      .select('kind')
      .where('near', '<>', '')
      .where('wide', '<>', '')
      .orderBy('id')
      .execute()
    expect(rows.map(({ kind }) => kind)).toEqual([
      'contact-removed',
      'contact-change-undone',
      'contact-added',
      'token-reused',
    ])
  })

  it('record only one use in two places, however often a client presents the old cookie', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    const stolen = new Map(owner.cookies)
    for (const _ of [1, 2]) bodyOf(await owner.call('refreshToken'))
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await server.advanceSeconds(11)
    for (const _ of [1, 2, 3]) expect((await refreshWith(stolen)).status).toBe(401)
    expect(await eventsOf(await signIn(server, { phone }))).toEqual([
      'signed-in-new-device',
      'token-reused',
      'signed-in-new-device',
    ])
  })

  it('show no use in two places when the answer to the last refresh was lost and the cookie has expired since', async () => {
    server = await startTestServer({ offices: 'none', env: { SESSION_IDLE_SECONDS: '1000' } })
    const owner = await signIn(server, { phone })
    const old = new Map(owner.cookies)
    await server.advanceSeconds(900)
    bodyOf(await owner.call('refreshToken'))
    await server.advanceSeconds(101)
    expect((await refreshWith(old)).status).toBe(401)
    expect(await eventsOf(await signIn(server, { phone }))).not.toContain('token-reused')
  })

  it('show no use in two places when the answer to the last refresh was lost and TOKEN_KEY has changed since', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    const old = new Map(owner.cookies)
    bodyOf(await owner.call('refreshToken'))
    await server.advanceSeconds(61)
    Object.assign(server.services.secrets, { tokenKey: new Uint8Array(32).fill(7) })
    expect((await refreshWith(old)).status).toBe(401)
    expect(await eventsOf(await signIn(server, { phone }))).not.toContain('token-reused')
  })

  it('show the use in two places also when the old cookie has expired', async () => {
    server = await startTestServer({ offices: 'none', env: { SESSION_IDLE_SECONDS: '1000' } })
    const owner = await signIn(server, { phone })
    const stolen = new Map(owner.cookies)
    for (const _ of [1, 2]) {
      await server.advanceSeconds(600)
      bodyOf(await owner.call('refreshToken'))
    }
    expect((await refreshWith(stolen)).status).toBe(401)
    expect(await eventsOf(await signIn(server, { phone }))).toContain('token-reused')
  })

  it('record the end of sessions only when a session has ended', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    bodyOf(await owner.call('endOtherSessions'))
    await server.advanceSeconds(120)
    await signIn(server, { phone })
    const { sessions } = bodyOf(await owner.call('readAccount')).data
    const id = sessions.find(({ isThis }) => !isThis)?.id ?? ''
    for (const _ of [1, 2, 3]) bodyOf(await owner.call('endSession', { params: { id } }))
    bodyOf(await owner.call('endOtherSessions'))
    expect((await eventsOf(owner)).filter(kind => kind === 'session-ended')).toHaveLength(1)
  })

  it('show a download of the data, and the announced and the cancelled deletion of the account, once each', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    bodyOf(await owner.call('downloadData', { query: { format: 'json' } }))
    await proveContact(server, owner, { phone })
    for (const _ of [1, 2]) bodyOf(await owner.call('deleteAccount'))
    for (const _ of [1, 2]) bodyOf(await owner.call('keepAccount'))
    expect(await eventsOf(owner)).toEqual([
      'deletion-cancelled',
      'deletion-announced',
      'data-downloaded',
      'signed-in-new-device',
    ])
  })

  it('name no person in the table, cannot be changed, and are deleted after 180 days', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    await openAccountWithBoth(server, { phone, email: 'awa@example.cm' })
    const { id } = await db.selectFrom('applicant').select('id').executeTakeFirstOrThrow()
    const rows = await db.selectFrom('security_event').selectAll().execute()
    for (const name of ['670000001', 'awa@example.cm', id]) expect(JSON.stringify(rows)).not.toContain(name)
    await expect(sql`update security_event set kind = 'signed-in'`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`delete from security_event`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`truncate security_event`.execute(db)).rejects.toThrow('append-only')
    const store = (days: number) =>
      sql`insert into security_event (kind, subject, at) values ('code-wrong', '', now() - make_interval(days => ${days}))`.execute(
        db,
      )
    await store(179)
    await store(181)
    await deleteExpiredRows(db)
    expect(await db.selectFrom('security_event').selectAll().execute()).toHaveLength(rows.length + 1)
  })
})

describe('refused calls (D111)', () => {
  it('with a forged token or of a foreign page are recorded, once a minute for each network address and kind', async () => {
    server = await startTestServer({ offices: 'none', env: { TRUSTED_PROXIES: 'loopback' } })
    const applicant = await signIn(server, { phone })
    const stored = async () => {
      const rows = await server.services.db
        .selectFrom('security_event')
        .select('kind')
        .orderBy('id')
        .execute()
      return rows.map(({ kind }) => kind).filter(kind => kind.endsWith('refused'))
    }
    const forged = `${applicant.token.slice(0, -4)}AAAA`
    const useForged = () => openBrowser(server, forged).call('listApplications')
    for (const _ of [1, 2, 3]) await useForged()
    await applicant.call('createApplication', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(await stored()).toEqual(['token-refused', 'foreign-page-refused'])
    await fromOutside(openBrowser(server, forged)).call('listApplications')
    expect(await stored()).toHaveLength(3)
    await server.advanceSeconds(60)
    for (const _ of [1, 2, 3]) await useForged()
    expect(await stored()).toHaveLength(4)
  })

  it('with an expired token or without one are not recorded', async () => {
    server = await startTestServer({ offices: 'none' })
    const applicant = await signIn(server, { phone })
    await server.advanceSeconds(3_600)
    expect((await applicant.call('listApplications')).status).toBe(401)
    expect((await openBrowser(server).call('listApplications')).status).toBe(401)
    const rows = await server.services.db.selectFrom('security_event').select('kind').execute()
    expect(rows.map(({ kind }) => kind)).toEqual(['signed-in-new-device'])
  })

  it('are recorded by a later call when the row of the first one cannot be stored', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    const { token } = await signIn(server, { phone })
    const call = () => openBrowser(server, `${token.slice(0, -4)}AAAA`).call('listApplications')
    await sql`alter table security_event rename to away`.execute(db)
    expect((await call()).status).toBe(401)
    await sql`alter table away rename to security_event`.execute(db)
    await call()
    await call()
    const { rows } = await sql`select from security_event where kind = 'token-refused'`.execute(db)
    expect(rows).toHaveLength(1)
  })

  it('try to store a row at most sixty times a minute in a process, also while none can be stored', async () => {
    server = await startTestServer({ offices: 'none' })
    const { token } = await signIn(server, { phone })
    await sql`alter table security_event rename to away`.execute(server.services.db)
    for (let count = 0; count < 70; count += 1)
      await openBrowser(server, `${token.slice(0, -4)}AAAA`).call('listApplications')
    expect(server.warnings).toHaveLength(60)
  })

  it('are recorded again after the clock is set back (D95)', async () => {
    server = await startTestServer({ offices: 'none' })
    const { token } = await signIn(server, { phone })
    const call = () => openBrowser(server, `${token.slice(0, -4)}AAAA`).call('listApplications')
    await call()
    server.clock.advanceSeconds(-86_400)
    await call()
    await call()
    const { rows } = await sql`select from security_event where kind = 'token-refused'`.execute(
      server.services.db,
    )
    expect(rows).toHaveLength(2)
  })
})

describe('the office command `events` (D45)', () => {
  it('finds the events of an applicant by contact, by kind, and of a contact without an account', async () => {
    server = await startTestServer({ offices: 'none' })
    const officeCommand = openCliFixture(server.services)
    try {
      await signIn(server, { phone })
      await signIn(server, { phone: '237670000002' })
      const browser = openBrowser(server)
      const unknown = { msisdn: '237670000003', email: '' }
      bodyOf(await browser.call('auth', { body: unknown }))
      const code = await server.outbox.codeFor(unknown.msisdn)
      const otp = code === '000000' ? '111111' : '000000'
      await browser.call('login', { body: { ...unknown, otp } })
      const why = ['--reason', 'test', '--as', 'Awa'] as const
      const all = await officeCommand.run('events', ...why)
      expect(all.lines.join('\n')).toContain('3 events.')
      expect(all.lines.join('\n')).not.toContain('67000000')
      const own = await officeCommand.run('events', `+${phone}`, ...why)
      expect(own.lines.filter(line => line.includes('signed-in-new-device'))).toHaveLength(1)
      const tried = await officeCommand.run('events', `+${unknown.msisdn}`, '--kind', 'code-wrong', ...why)
      expect(tried.lines.join('\n')).toContain('1 event.')
      expect((await officeCommand.run('events', '--kind', 'none', ...why)).kind).toBe('refused')
      expect((await officeCommand.run('events', 'CM-2026-0000001', ...why)).kind).toBe('refused')
    } finally {
      officeCommand.close()
    }
  })
})
