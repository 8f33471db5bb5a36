import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf, signIn, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ offices: 'none' })
})
afterAll(() => server?.close())

describe('all calls of one applicant (D69, ASVS 2.4.1)', () => {
  it('are refused after 600 in a row, those of others are not, and later they are answered again', async () => {
    const applicant = await signInDirectly(server)
    const call = () => applicant.call('listPaymentMethods')
    let answered = 0
    let answer = await call()
    for (; answer.status === 200; answer = await call()) answered += 1
    expect(answer).toMatchObject({
      kind: 'failed',
      status: 429,
      headers: { 'retry-after': '1' },
      failure: { reason: 'too-many-requests' },
    })
    // The slow clock of the test allows a few more on a busy machine.
    expect(answered).toBeGreaterThanOrEqual(600)
    expect(answered).toBeLessThan(620)
    const other = await signInDirectly(server, { phone: '237671234568' })
    expect((await other.call('listPaymentMethods')).status).toBe(200)
    await server.advanceSeconds(1)
    expect((await applicant.call('createApplication')).status).toBe(200)
  })

  it('are not used up by tokens of a session that the applicant has ended', async () => {
    const phone = '237671234569'
    const stolen = await signIn(server, { phone })
    await server.advanceSeconds(61)
    const owner = await signIn(server, { phone })
    bodyOf(await owner.call('endOtherSessions'))
    const statuses = new Set<number>()
    for (let index = 0; index < 350; index += 1)
      for (const name of ['listPaymentMethods', 'createApplication'] as const)
        statuses.add((await stolen.call(name)).status)
    expect([...statuses]).toEqual([401])
    expect((await owner.call('listPaymentMethods')).status).toBe(200)
  })
})
