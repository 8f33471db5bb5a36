import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimDue } from '#server/features/messages/claim-due.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { lanes } from '#server/features/messages/lanes.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ offices: 'none' })
})
afterAll(() => server.close())

it('sends a message that was stored or tried while the clock of the database was a day ahead (D95)', async () => {
  const { db } = server.services
  const store = (key: string) =>
    enqueue(db, {
      key,
      channel: 'email',
      kind: 'receipt',
      recipient: 'awa@example.cm',
      message: { subject: 'S', text: 'T' },
    })
  await store('tried')
  // The process was killed before it sent the message.
  expect(await claimDue(db, lanes)).toHaveLength(1)
  await store('stored')
  // Now the times are those of a clock that was a day ahead until here.
  await sql`update outbox set next_at = next_at + interval '1 day', claimed_until = claimed_until + interval '1 day',
    created_at = created_at + interval '1 day', give_up_at = give_up_at + interval '1 day'`.execute(db)
  const sent: string[] = []
  const messenger = {
    async send({ key }: { key: string }) {
      sent.push(key)
      return { kind: 'sent' } as const
    },
  }
  await deliverDue(server.services, { sms: messenger, email: messenger })
  expect(sent.toSorted()).toEqual(['stored', 'tried'])
  expect(await claimDue(db, lanes)).toEqual([])
})
