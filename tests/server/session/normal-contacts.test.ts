import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { migrate } from '#server/database/migrate.ts'
import { migrations } from '#server/database/migrations/index.ts'
import { signIn } from '#support/servers/api-client.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer | undefined
afterEach(() => server?.close())

describe('a contact that is typed in another way', () => {
  it.each([
    ['a number with the zero of domestic calls', { phone: '33612345678' }, { phone: '330612345678' }],
    ['a home number with a zero', { phone: '237671234567' }, { phone: '2370671234567' }],
    [
      'an address with decomposed letters',
      { email: 'andr\u00e9@example.cm' },
      { email: 'andre\u0301@example.cm' },
    ],
    ['an address with capitals', { email: 'awa@example.cm' }, { email: 'awa@EXAMPLE.cm' }],
  ])('opens the same account: %s', async (_, usual, other) => {
    server = await startTestServer({ offices: 'none' })
    const first = await signIn(server, usual)
    await server.advanceSeconds(120)
    const contact = { msisdn: '', email: '', ...('phone' in other ? { msisdn: other.phone } : other) }
    const { rows } = await askAndEnter(server, contact)
    expect(rows).toEqual([{ applicant_id: first.applicantId }])
  })
})

/** Signs in with the code of a contact, and returns the owners of all contacts. */
async function askAndEnter(running: TestServer, contact: { msisdn: string; email: string }) {
  const { openBrowser, bodyOf } = await import('#support/servers/api-client.ts')
  const browser = openBrowser(running)
  bodyOf(await browser.call('auth', { body: contact }))
  const code = (await running.outbox.messages()).at(-1)?.code ?? ''
  bodyOf(await browser.call('login', { body: { ...contact, otp: code } }))
  return sql<{ applicant_id: string }>`select distinct applicant_id from contact`.execute(running.services.db)
}

describe.each(['pglite', 'postgresql'] as const)('the migration of stored contacts on %s', kind => {
  it('writes them in the normal form, and merges no two accounts', async () => {
    const database = await openTestDatabase(kind)
    try {
      const { '0024-normal-contacts': normal, ...all } = migrations
      const before = Object.fromEntries(Object.entries(all).filter(([name]) => name < '0024'))
      if (!normal) throw new Error('no migration')
      await migrate(database.db, before)
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
      for (const [each, value] of stored)
        await sql`with person as (insert into applicant default values returning id)
          insert into contact (kind, value, applicant_id) select ${each}, ${value}, id from person`.execute(
          database.db,
        )
      const owners = await list(database.db)
      await migrate(database.db, { ...before, '0024-normal-contacts': normal })
      const after = await list(database.db)
      expect(after.map(({ owner }) => owner)).toEqual(owners.map(({ owner }) => owner))
      const changed = after.filter(({ value }, index) => value !== owners[index]?.value)
      expect(changed.map(({ value }) => value).toSorted()).toEqual(['33612345678', 'andr\u00e9@example.cm'])
    } finally {
      await database.close()
    }
  })
})

async function list(db: TestServer['services']['db']) {
  const { rows } = await sql<{ owner: string; value: string }>`
    select applicant_id as owner, value from contact order by applicant_id`.execute(db)
  return rows
}
