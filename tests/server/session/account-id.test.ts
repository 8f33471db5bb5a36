import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { type SignedIn, signIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

const DRAFT_KEY = randomBytes(32).toString('hex')
const phone = '237670000001'

let server: TestServer
const others: TestServer[] = []

beforeEach(async () => {
  server = await startTestServer({ offices: 'none', env: { DRAFT_KEY } })
})
afterEach(async () => {
  for (const each of [server, ...others.splice(0)]) await each.close()
})

/**
 * A server with an empty database, as after a restore from a backup before the first account. It has the same key by
 * default.
 */
async function restored(env: Record<string, string> = { DRAFT_KEY }): Promise<TestServer> {
  const other = await startTestServer({ offices: 'none', env })
  others.push(other)
  return other
}

const identityOf = ({ applicantId, draftKey }: SignedIn) => ({ applicantId, draftKey })

async function eraseAccount(applicantId: string): Promise<void> {
  await sql`update applicant set deletion_at = now() - interval '1 hour' where id = ${applicantId}`.execute(
    server.services.db,
  )
  await eraseAccounts(server.services)
}

/** As a change of contacts does (D70). */
async function changePhone(applicantId: string, value: string): Promise<void> {
  await sql`update contact set value = ${value} where applicant_id = ${applicantId}`.execute(
    server.services.db,
  )
}

describe('the id of an account (D133)', () => {
  it.each([{ phone }, { email: 'awa@example.cm' }])(
    'is the same, with its key of drafts, on a restored server that does not know the account: %o',
    async contact => {
      const before = await signIn(server, contact)
      const after = await signIn(await restored(), contact)
      expect(identityOf(after)).toEqual(identityOf(before))
    },
  )

  it('is another one for another contact, and under another key', async () => {
    const other = await restored({ DRAFT_KEY: randomBytes(32).toString('hex') })
    const ids = [
      await signIn(server, { phone }),
      await signIn(server, { phone: '237670000002' }),
      await signIn(other, { phone }),
    ].map(({ applicantId }) => applicantId)
    expect(new Set(ids).size).toBe(3)
  })

  it('is not that of an account deleted within a year, so the next owner of the contact opens no draft (D112, D133)', async () => {
    const ids: string[] = []
    for (const _ of [1, 2, 3]) {
      const { applicantId } = await signIn(server, { phone })
      ids.push(applicantId)
      await eraseAccount(applicantId)
    }
    expect(new Set(ids).size).toBe(3)
  })

  it('is not that of an account which changed its contact, also after the deletion of that account (D70)', async () => {
    const first = await signIn(server, { phone })
    await changePhone(first.applicantId, '237670000002')
    const second = await signIn(server, { phone })
    await changePhone(second.applicantId, '237670000003')
    await eraseAccount(first.applicantId)
    const third = await signIn(server, { phone })
    expect(new Set([first, second, third].map(({ applicantId }) => applicantId)).size).toBe(3)
  })
})
