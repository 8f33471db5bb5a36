import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, openBrowser, signIn } from '#support/servers/api-client.ts'
import { openAccountWithBoth, proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'
const email = 'awa@example.cm'
const byEmail = { msisdn: '', email }
const byThief = { msisdn: '', email: 'thief@example.cm' }
const proofNeeded = { kind: 'failed', status: 409, failure: { reason: 'proof-needed' } }

describe('a stranger with the access token of a session that was left open', () => {
  it('cannot add a contact and sign in with it, because each change needs a fresh code to a contact of the account (D70)', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    const thief = openBrowser(server, owner.token)
    expect(await thief.call('addContact', { body: byThief })).toMatchObject(proofNeeded)
    // The thief can get a code to an own contact in another way: by a sign-in.
    bodyOf(await thief.call('auth', { body: byThief }))
    const otp = await server.outbox.codeFor(byThief.email)
    expect(await thief.call('confirmContact', { body: { ...byThief, otp } })).toMatchObject(proofNeeded)
    await server.advanceSeconds(61)
    expect((await signIn(server, { email: byThief.email })).applicantId).not.toBe(owner.applicantId)
  })

  it('cannot remove a contact of the owner (D70)', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await openAccountWithBoth(server)
    const thief = openBrowser(server, owner.token)
    for (const kind of ['phone', 'email'] as const)
      expect(await thief.call('removeContact', { body: { kind } })).toMatchObject(proofNeeded)
    expect(bodyOf(await owner.call('readAccount')).data.contacts).toHaveLength(2)
  })
})

describe('the proof of a contact (D70)', () => {
  it('lasts 15 minutes and allows one change', async () => {
    server = await startTestServer({ offices: 'none', env: { TOKEN_LIFETIME_SECONDS: '3600' } })
    const owner = await signIn(server, { phone })
    await proveContact(server, owner, { phone })
    await server.advanceSeconds(14 * 60)
    bodyOf(await owner.call('addContact', { body: byEmail }))
    const otp = await server.outbox.codeFor(email)
    bodyOf(await owner.call('confirmContact', { body: { ...byEmail, otp } }))
    expect(await owner.call('removeContact', { body: { kind: 'email' } })).toMatchObject(proofNeeded)
    await server.advanceSeconds(61)
    await proveContact(server, owner, { email })
    await server.advanceSeconds(15 * 60 + 1)
    expect(await owner.call('removeContact', { body: { kind: 'phone' } })).toMatchObject(proofNeeded)
  })

  it('is of this session only, and a repeated call succeeds', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    const other = await signIn(server, { phone })
    bodyOf(await owner.call('askProofCode', { body: { kind: 'phone' } }))
    const otp = await server.outbox.codeFor(phone)
    const body = { kind: 'phone', otp } as const
    expect((await other.call('proveContact', { body })).kind).toBe('failed')
    for (const attempt of ['first', 'repeated'])
      expect((await owner.call('proveContact', { body })).kind, attempt).toBe('ok')
    expect(await other.call('addContact', { body: byEmail })).toMatchObject(proofNeeded)
    expect((await owner.call('addContact', { body: byEmail })).kind).toBe('ok')
  })

  it('is refused with a wrong code and for a contact that the account does not have', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signIn(server, { phone })
    bodyOf(await owner.call('askProofCode', { body: { kind: 'phone' } }))
    const right = await server.outbox.codeFor(phone)
    const otp = right === '000000' ? '000001' : '000000'
    expect(await owner.call('proveContact', { body: { kind: 'phone', otp } })).toMatchObject({
      kind: 'failed',
      failure: { reason: 'code-wrong' },
    })
    expect((await owner.call('askProofCode', { body: { kind: 'email' } })).kind).toBe('failed')
    expect(await owner.call('addContact', { body: byEmail })).toMatchObject(proofNeeded)
  })
})
