import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '#server/database/migrate.ts'
import { migrations } from '#server/database/migrations/index.ts'
import { bodyOf, openBrowser, signIn } from '#support/servers/api-client.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer | undefined
afterEach(() => server?.close())

describe('a contact that is typed in another way', () => {
  it.each([
    ['a number with the zero of domestic calls', { phone: '33612345678' }, { phone: '330612345678' }],
    ['a Cameroonian number with the zero', { phone: '237671234567' }, { phone: '2370671234567' }],
    [
      'an address with decomposed letters',
      { email: 'andr\u00e9@example.cm' },
      { email: 'andre\u0301@example.cm' },
    ],
    ['an address with capitals', { email: 'awa@example.cm' }, { email: 'awa@EXAMPLE.cm' }],
    [
      'an address with wide letters in its domain',
      { email: 'awa@example.cm' },
      { email: 'awa@\uff45xample.cm' },
    ],
    ['the ASCII form of a domain', { email: 'awa@exampl\u00e9.cm' }, { email: 'awa@xn--exampl-gva.cm' }],
    [
      'the ASCII form of a domain with signs that no address may have here',
      { email: 'awa@xn--h2breg3eve.com' },
      { email: 'awa@XN--H2BREG3EVE.com' },
    ],
    ['a Russian number with the 8 of domestic calls', { phone: '79123456789' }, { phone: '789123456789' }],
    ['an American number with the 1 of domestic calls', { phone: '12025550123' }, { phone: '112025550123' }],
  ])('opens the same account: %s', async (_, usual, other) => {
    server = await startTestServer({ offices: 'none' })
    const first = await signIn(server, usual)
    await server.advanceSeconds(120)
    const contact = { msisdn: '', email: '', ...('phone' in other ? { msisdn: other.phone } : other) }
    const { rows } = await askAndEnter(server, contact)
    expect(rows).toEqual([{ applicant_id: first.applicantId }])
  })
})

/** Signs in with a code sent to a contact, and returns the owners of all contacts. */
async function askAndEnter(running: TestServer, contact: { msisdn: string; email: string }) {
  const browser = openBrowser(running)
  bodyOf(await browser.call('auth', { body: contact }))
  const code = (await running.outbox.messages()).at(-1)?.code ?? ''
  bodyOf(await browser.call('login', { body: { ...contact, otp: code } }))
  return sql<{ applicant_id: string }>`select distinct applicant_id from contact`.execute(running.services.db)
}

describe.each(['pglite', 'postgresql'] as const)('the migration of stored contacts on %s', kind => {
  let database: TestDatabase
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0024'))
  const { '0024-normal-contacts': normal } = migrations
  const normalise = () =>
    migrate(database.db, { ...before, ...(normal && { '0024-normal-contacts': normal }) })
  beforeEach(async () => {
    database = await openTestDatabase(kind)
    await migrate(database.db, before)
  })
  afterEach(() => database.close())

  /** Stores a contact of a new account, and returns the account. */
  async function addOwner(contactKind: string, value: string): Promise<string> {
    const { rows } = await sql<{ id: string }>`
      with person as (insert into applicant default values returning id)
      insert into contact (kind, value, applicant_id) select ${contactKind}, ${value}, id from person
      returning applicant_id as id`.execute(database.db)
    return rows[0]?.id ?? ''
  }

  it('writes contacts in the normal form, and merges no two accounts', async () => {
    const stored: [string, string][] = [
      ['phone', '330612345678'],
      ['phone', '390612345678'],
      ['phone', '2250102030405'],
      ['phone', '237671234567'],
      ['phone', '447911123456'],
      ['phone', '4407911123456'],
      ['phone', '2010123456789'],
      ['email', 'andre\u0301@example.cm'],
      ['email', 'e\u0301ve@example.cm'],
      ['email', '\u00e9ve@example.cm'],
    ]
    for (const [contactKind, value] of stored) await addOwner(contactKind, value)
    const owners = await list(database.db)
    await normalise()
    const after = await list(database.db)
    expect(after.map(({ owner }) => owner)).toEqual(owners.map(({ owner }) => owner))
    const changed = after.filter(({ value }, index) => value !== owners[index]?.value)
    expect(changed.map(({ value }) => value).toSorted()).toEqual(['33612345678', 'andr\u00e9@example.cm'])
  })

  it('writes a change of a contact in the normal form, unless the account keeps its contact as it was, so that an undo finds it (D70)', async () => {
    const changes: [owner: string, before: string | null, after: string | null][] = [
      [await addOwner('phone', '330612345678'), null, '330612345678'],
      [await addOwner('phone', '447911123456'), '330698765432', null],
      [await addOwner('phone', '4407911123456'), null, '4407911123456'],
    ]
    for (const [owner, value_before, value_after] of changes)
      await sql`insert into contact_change (applicant_id, kind, value_before, value_after, undo_hash)
        values (${owner}, 'phone', ${value_before}, ${value_after}, ${owner})`.execute(database.db)
    await normalise()
    const { rows } = await sql`select value_before as before, value_after as after from contact_change
      order by id`.execute(database.db)
    expect(rows).toEqual([
      { before: null, after: '33612345678' },
      { before: '33698765432', after: null },
      // Another account has the normal form, so the account of this change keeps its contact as it was.
      { before: null, after: '4407911123456' },
    ])
  })

  it('writes the whitelist in the normal form, and joins entries that share a contact (PAY31, D96)', async () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(each => `00000000-0000-4000-8000-00000000000${each}`)
    const stored = [
      ['phone', '330612345678', a, null],
      ['email', 'first@example.cm', a, null],
      ['phone', '33612345678', b, '2026-01-01'],
      ['email', 'e\u0301ve@example.cm', b, '2026-01-01'],
      ['email', '\u00e9ve@example.cm', c, null],
      ['phone', '390612345678', d, null],
    ]
    for (const [contactKind, value, entry, used_at] of stored)
      await sql`insert into whitelist (kind, value, entry, used_at)
        values (${contactKind}, ${value}, ${entry}, ${used_at})`.execute(database.db)
    await normalise()
    const { rows } = await sql`select value, entry, used_at is not null as used from whitelist
      order by kind, value collate "C"`.execute(database.db)
    expect(rows).toEqual([
      { value: 'first@example.cm', entry: a, used: true },
      { value: '\u00e9ve@example.cm', entry: a, used: true },
      { value: '33612345678', entry: a, used: true },
      { value: '390612345678', entry: d, used: false },
    ])
  })
})

describe('an account with a number whose normal form another account has', () => {
  it('still opens by its e-mail address, with a code sent to the normal form of its number', async () => {
    server = await startTestServer({ offices: 'none' })
    await signIn(server, { phone: '33612345678' })
    const other = await signIn(server, { email: 'other@example.cm' })
    await sql`insert into contact (kind, value, applicant_id)
      values ('phone', '330612345678', ${other.applicantId})`.execute(server.services.db)
    await server.advanceSeconds(120)
    const contact = { msisdn: '', email: 'other@example.cm' }
    const browser = openBrowser(server)
    bodyOf(await browser.call('auth', { body: contact }))
    await server.advanceSeconds(61)
    bodyOf(await browser.call('auth', { body: { ...contact, otherChannel: true } }))
    const message = (await server.outbox.messages()).at(-1)
    expect(message).toMatchObject({ channel: 'sms', to: '33612345678' })
    const login = await browser.call('login', { body: { ...contact, otp: message?.code ?? '' } })
    expect(bodyOf(login).data.applicantId).toBe(other.applicantId)
  })
})

async function list(db: TestServer['services']['db']) {
  const { rows } = await sql<{ owner: string; value: string }>`
    select applicant_id as owner, value from contact order by applicant_id`.execute(db)
  return rows
}
