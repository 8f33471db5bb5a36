import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedInDirectly, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
let applicant: SignedInDirectly
let id: string
let key: string

beforeAll(async () => {
  // The embedded database has one connection, so calls at once would run one after the other.
  server = await startTestServer({ offices: 'none', database: 'postgresql' })
})
afterAll(() => server.close())
beforeEach(async () => {
  applicant = await signInDirectly(server)
  id = bodyOf(await applicant.call('createApplication')).data.id
  key = crypto.randomUUID()
})

type Save = { surname: string; baseVersion?: number; key?: string }

function save({ key: own = crypto.randomUUID(), ...answers }: Save) {
  return applicant.call('saveData', { key: own, params: { id }, body: { draft: true, ...answers } })
}

/** The first phone saves on the form that it has read; its connection may lose the answer. */
const saveFirst = () => save({ surname: 'First', baseVersion: 0, key })

function confirm() {
  const body = { ...toWire(firstPassport), baseVersion: 0 }
  return applicant.call('confirmData', { key, params: { id }, body })
}

async function readApplication() {
  const { surname, version, currentState } = bodyOf(await applicant.call('readData', { params: { id } })).data
  return { surname, version, currentState }
}

async function readKey() {
  const { rows } = await sql<{ status: number; answer: unknown; created_at: Date }>`
    select status, answer, created_at from idempotency where key = ${key}`.execute(server.services.db)
  return rows
}

describe('a save that is repeated under its key', () => {
  it('is refused with the present form when another device has saved since then, each time (D13, D61)', async () => {
    bodyOf(await saveFirst())
    bodyOf(await save({ surname: 'Second', baseVersion: 1 }))
    const stored = await readKey()
    const refused = {
      status: 409,
      failure: { reason: 'stale-version', data: { surname: 'Second', version: 2 } },
    }
    expect(await saveFirst()).toMatchObject(refused)
    expect(await saveFirst()).toMatchObject(refused)
    expect(await readApplication()).toMatchObject({ surname: 'Second', version: 2 })
    expect(await readKey()).toEqual(stored)
  })

  it('is refused each time when five repetitions come at once after the save of another device', async () => {
    bodyOf(await saveFirst())
    bodyOf(await save({ surname: 'Second', baseVersion: 1 }))
    const answers = await Promise.all(Array.from({ length: 5 }, saveFirst))
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409])
    expect(await readApplication()).toMatchObject({ surname: 'Second', version: 2 })
  })

  it('gets the same answer while the application has the version of this answer (D13)', async () => {
    const answers = await Promise.all([saveFirst(), saveFirst()])
    const again = bodyOf(await saveFirst())
    expect(answers.map(bodyOf)).toEqual([again, again])
    expect(again.data.version).toBe(1)
    expect(await readApplication()).toMatchObject({ surname: 'First', version: 1 })
  })

  it('gets the same answer and overwrites nothing when it names no base version (D13)', async () => {
    const first = bodyOf(await save({ surname: 'First', key }))
    bodyOf(await save({ surname: 'Second' }))
    expect(bodyOf(await save({ surname: 'First', key }))).toEqual(first)
    expect(await readApplication()).toMatchObject({ surname: 'Second', version: 2 })
  })

  it('is refused as before when the server stored a refusal and the form has changed since then', async () => {
    const ask = () => save({ surname: 'x'.repeat(5_000), baseVersion: 0, key })
    const { headers: _, ...refused } = await ask()
    expect(refused).toMatchObject({ status: 422 })
    bodyOf(await save({ surname: 'Second', baseVersion: 0 }))
    expect(await ask()).toMatchObject(refused)
  })

  it('is refused with the present form after a restore has changed the versions (D62)', async () => {
    bodyOf(await saveFirst())
    await sql`update application set version = version + 1000000 where id = ${id}`.execute(server.services.db)
    expect(await saveFirst()).toMatchObject({
      status: 409,
      failure: { reason: 'stale-version', data: { surname: 'First', version: 1_000_001 } },
    })
  })

  it('is refused as wrong-state when the form has changed since then and is closed (S93)', async () => {
    bodyOf(await saveFirst())
    bodyOf(await save({ surname: 'Second', baseVersion: 1 }))
    await setState('PAYMENT_DONE')
    const refused = { status: 409, failure: { reason: 'wrong-state' } }
    expect(await saveFirst()).toMatchObject(refused)
    expect(await saveFirst()).toMatchObject(refused)
  })

  it('gets the same answer when the form is closed with this version', async () => {
    const first = bodyOf(await saveFirst())
    await setState('PAYMENT_DONE')
    expect(bodyOf(await saveFirst())).toEqual(first)
  })
})

describe('a confirmation that is repeated under its key', () => {
  it('gets the same answer when another device has saved since then: the data were confirmed (D13)', async () => {
    const first = bodyOf(await confirm())
    bodyOf(await save({ surname: 'Second', baseVersion: 1 }))
    expect(bodyOf(await confirm())).toEqual(first)
    expect(await readApplication()).toEqual({ surname: 'Second', version: 2, currentState: 'DATA_SAVED' })
  })
})

async function setState(state: 'PAYMENT_DONE'): Promise<void> {
  await server.services.db.updateTable('application').set({ state }).where('id', '=', id).execute()
}
