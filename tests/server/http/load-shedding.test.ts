import { EventEmitter, once } from 'node:events'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { endpoints } from '#contract/endpoints.ts'
import { priorityOf } from '#server/http/load-shedding.ts'
import { bodyOf, openBrowser, signInDirectly } from '#support/servers/api-client.ts'
import { freshPhone } from '#support/data/fresh-phone.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

const poolSize = 2

async function startBusyServer() {
  const started = await startTestServer({
    database: 'postgresql',
    offices: 'none',
    sheds: true,
    pool: { poolSize },
  })
  server = started
  const applicant = await signInDirectly(started)
  const { id } = bodyOf(await applicant.call('createApplication')).data
  return { server: started, applicant, id }
}

/** Takes all connections of the pool; the returned function gives them back. */
async function takeConnections({ services: { db } }: TestServer): Promise<() => Promise<unknown>> {
  const release = new EventEmitter()
  const released = once(release, 'now')
  const holders: Promise<void>[] = []
  for (let number = 0; number < poolSize; number += 1)
    await new Promise<void>(taken => {
      holders.push(
        db.connection().execute(async connection => {
          await sql`select 1`.execute(connection)
          taken()
          await released
        }),
      )
    })
  return () => (release.emit('now'), Promise.all(holders))
}

describe('a process whose connections are all busy (D92)', () => {
  it('refuses new sign-ins first and admits the work of applicants, and then answers all that it admitted', async () => {
    const { server: busy, applicant, id } = await startBusyServer()
    const release = await takeConnections(busy)
    const signIns = Array.from({ length: 30 }, () =>
      openBrowser(busy).call('auth', { body: { msisdn: `237${freshPhone()}`, email: '' } }),
    )
    const save = applicant.call('saveData', { params: { id }, body: { draft: true }, key: 'save-in-crowd' })
    for (const path of ['/health', '/ready']) expect((await busy.app.inject(path)).statusCode).toBe(200)
    await release()
    const answers = await Promise.all(signIns)
    const admitted = answers.filter(({ status }) => status === 200).length
    // On a slow machine the wait of the first one refuses the others earlier.
    expect(admitted).toBeGreaterThan(0)
    expect(admitted).toBeLessThanOrEqual(10)
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(30 - admitted)
    expect((await save).status).toBe(200)
    // Full speed again.
    expect(
      (await openBrowser(busy).call('auth', { body: { msisdn: `237${freshPhone()}`, email: '' } })).status,
    ).toBe(200)
  })

  it('answers 503 with a random Retry-After, and the same key then does the work once', async () => {
    const { server: busy, applicant, id } = await startBusyServer()
    const release = await takeConnections(busy)
    const call = (key: string) =>
      applicant.call('saveData', { params: { id }, body: { draft: true }, key: `save-in-crowd-${key}` })
    const admitted = Array.from({ length: 80 }, (_, number) => call(String(number)))
    const refused = await Promise.all(Array.from({ length: 20 }, () => call('refused')))
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 503, failure: { reason: 'busy', statusCode: 503 } })
    const seconds = refused.map(({ headers }) => Number(headers['retry-after']))
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(5)
    expect(new Set(seconds).size).toBeGreaterThan(1)
    await release()
    await Promise.all(admitted)
    expect((await call('refused')).status).toBe(200)
  })
})

describe('the priority of a call (D92)', () => {
  it.each([
    ['auth', 'sign-in'],
    ['captchaChallenge', 'sign-in'],
    ['login', 'read'],
    ['listApplications', 'read'],
    ['refreshToken', 'work'],
    ['saveData', 'work'],
    ['startMobilePayment', 'work'],
    ['readPayment', 'work'],
  ] as const)('of %s is %s', (name, priority) => {
    expect(priorityOf(name, endpoints[name])).toBe(priority)
  })
})
