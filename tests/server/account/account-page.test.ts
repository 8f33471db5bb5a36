import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, signIn } from '#support/servers/api-client.ts'
import { openAccountWithBoth } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'

describe('the account of an applicant (NAV31)', () => {
  it('names its contacts without their middle', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await openAccountWithBoth(server)
    expect(bodyOf(await owner.call('readAccount')).data.contacts).toEqual([
      { kind: 'phone', start: '+237 6', end: '01' },
      { kind: 'email', start: 'a', end: '@example.cm' },
    ])
  })

  it('lists the open sessions, this one first, and ends one at once', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    await server.advanceSeconds(61)
    const other = await signIn(server, { phone })
    const { sessions } = bodyOf(await owner.call('readAccount')).data
    expect(sessions.map(({ isThis }) => isThis)).toEqual([true, false])
    expect(Date.parse(sessions[1]?.startedAt ?? '')).toBeGreaterThan(Date.parse(sessions[0]?.startedAt ?? ''))
    const [id = owner.applicantId] = sessions.filter(({ isThis }) => !isThis).map(session => session.id)
    const key = crypto.randomUUID()
    for (const attempt of ['first', 'repeated'])
      expect((await owner.call('endSession', { params: { id }, key })).kind, attempt).toBe('ok')
    expect((await other.call('listApplications')).status).toBe(401)
    expect((await other.call('refreshToken')).status).toBe(401)
    expect(bodyOf(await owner.call('readAccount')).data.sessions).toHaveLength(1)
  })

  it('ends all other sessions, and none of another applicant', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    const others = [await signIn(server, { phone }), await signIn(server, { phone })]
    const stranger = await signIn(server, { phone: '237670000002' })
    bodyOf(await owner.call('endOtherSessions'))
    for (const other of others) expect((await other.call('readAccount')).status).toBe(401)
    expect((await owner.call('readAccount')).status).toBe(200)
    expect((await stranger.call('readAccount')).status).toBe(200)
  })
})
