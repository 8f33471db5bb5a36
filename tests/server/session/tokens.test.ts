import { createSecretKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueAccessToken, readBearer } from '#server/features/session/access-token.ts'
import { heapBytes } from '#support/checks/heap-bytes.ts'
import { openBrowser, refreshCookie, signIn, type SignedIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { testedEngines } from '#support/test-tier.ts'

let server: TestServer
let applicant: SignedIn
beforeAll(async () => {
  server = await startTestServer()
  applicant = await signIn(server)
})
afterAll(() => server.close())

type TokenChanges = {
  claims?: Record<string, unknown>
  header?: Record<string, unknown> & { alg: string }
  issuer?: string
  audience?: string
  issuedAt?: number
  expires?: number
  notBefore?: number
  key?: KeyObject | Uint8Array
}

const now = () => Math.floor(server.clock.now().getTime() / 1_000)
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })

/** Signs a token with the claims of the applicant's token and the key of the server, with the given changes. */
async function make(changes: TokenChanges = {}): Promise<string> {
  const claims: unknown = JSON.parse(decode(applicant.token.split('.')[1]))
  if (typeof claims !== 'object' || claims === null) throw new Error('The token has no claims.')
  const jwt = new SignJWT({ ...claims, ...changes.claims })
    .setProtectedHeader(changes.header ?? { alg: 'HS256' })
    .setIssuer(changes.issuer ?? 'passport-portal')
    .setAudience(changes.audience ?? 'passport-portal-api')
    .setIssuedAt(changes.issuedAt ?? now())
    .setExpirationTime(changes.expires ?? now() + 600)
  if (changes.notBefore !== undefined) jwt.setNotBefore(changes.notBefore)
  return jwt.sign(changes.key ?? server.services.secrets.tokenKey, { crit: { extension: true } })
}

async function statusOf(authorization: string | undefined): Promise<number> {
  const response = await server.app.inject({
    url: '/api/v1/applications',
    headers: authorization === undefined ? {} : { authorization },
  })
  if (response.statusCode === 401)
    expect(response.json()).toMatchObject({ statusCode: 401, reason: 'not-signed-in' })
  return response.statusCode
}

describe('a token', () => {
  it('is accepted when the server issued it', async () => {
    expect(await statusOf(`Bearer ${await make()}`)).toBe(200)
    expect(await statusOf(`bearer ${applicant.token}`)).toBe(200)
  })

  const wrong: [what: string, make: () => Promise<string>][] = [
    ['expired a second ago', () => make({ issuedAt: now() - 901, expires: now() - 1 })],
    ['not valid yet', () => make({ notBefore: now() + 60 })],
    ['for another audience', () => make({ audience: 'another-api' })],
    ['of another issuer', () => make({ issuer: 'another-portal' })],
    ['signed with another key', () => make({ key: randomBytes(32) })],
    ['signed with a key of one zero byte', () => make({ key: createSecretKey(Buffer.from([0])) })],
    ['signed HS384', async () => make({ header: { alg: 'HS384' }, key: doubled() })],
    ['signed HS512', async () => make({ header: { alg: 'HS512' }, key: doubled() })],
    ['signed RS256', () => make({ header: { alg: 'RS256' }, key: rsa.privateKey })],
    ['unsigned (alg none)', async () => forge({ alg: 'none' }, '')],
    ['unsigned, with alg nOnE', async () => forge({ alg: 'nOnE' }, '')],
    [
      'marked as alg none, with a real signature',
      async () => forge({ alg: 'none' }, applicant.token.split('.')[2]),
    ],
    ['without a signature', async () => applicant.token.replace(/[^.]*$/, '')],
    ['with a shortened signature', async () => applicant.token.slice(0, -4)],
    ['with a changed signature', async () => changeSignature(applicant.token)],
    ['with changed claims', async () => withClaims({ applicantId: crypto.randomUUID() })],
    ['with a later expiry', async () => withClaims({ exp: now() + 100_000 })],
    ['naming its own key', async () => forge({ alg: 'HS256', kid: '/dev/null' }, 'A'.repeat(43))],
    [
      'containing its own key',
      async () => forge({ alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } }, 'A'.repeat(43)),
    ],
    ['of an unknown session', () => make({ claims: { sid: crypto.randomUUID() } })],
    ['of a session with an invalid id', () => make({ claims: { sid: "' or 1=1" } })],
    ['without a session', () => make({ claims: { sid: undefined } })],
    ['without an applicant', () => make({ claims: { applicantId: undefined } })],
    [
      'with a critical extension',
      () => make({ header: { alg: 'HS256', crit: ['extension'], extension: 1 } }),
    ],
    ['two tokens in one', async () => `${applicant.token}.${applicant.token}`],
    ['only dots', async () => '..'],
    ['empty', async () => ''],
  ]
  it.each(wrong)('is answered with 401 when it is %s', async (_, token) => {
    expect(await statusOf(`Bearer ${await token()}`)).toBe(401)
  })

  it.each([
    ['none', undefined],
    ['another scheme', 'Basic YTpi'],
    ['a scheme alone', 'Bearer'],
  ])('counts as missing with %s: 401', async (_, header) => {
    expect(await statusOf(header)).toBe(401)
  })

  it('is read only from the header, not from the address or a cookie', async () => {
    const { app } = server
    const inAddress = await app.inject(`/api/v1/applications?token=${applicant.token}`)
    const inCookie = await app.inject({
      url: '/api/v1/applications',
      cookies: { token: applicant.token, [refreshCookie]: applicant.cookies.get(refreshCookie) ?? '' },
    })
    expect([inAddress.statusCode, inCookie.statusCode]).toEqual([401, 401])
  })

  it('expires on time although it was accepted before', async () => {
    const ending = await make({ expires: now() + 1 })
    expect(await statusOf(`Bearer ${ending}`)).toBe(200)
    server.clock.advanceSeconds(1)
    expect(await statusOf(`Bearer ${ending}`)).toBe(401)
  })

  it('becomes invalid with the log-out of its session, and the token of another applicant does not', async () => {
    const leaving = await signIn(server, { phone: '237670000002' })
    expect(await statusOf(`Bearer ${leaving.token}`)).toBe(200)
    await leaving.call('logout')
    expect(await statusOf(`Bearer ${leaving.token}`)).toBe(401)
    expect(await statusOf(`Bearer ${applicant.token}`)).toBe(200)
  })
})

describe.each(testedEngines)('five tabs of one browser on %s', database => {
  it('all get the same new cookie when they refresh a hundred times at once', async () => {
    const own = await startTestServer({ database })
    const signedIn = await signIn(own)
    const before = signedIn.cookies.get(refreshCookie) ?? ''
    const tabs = Array.from({ length: 5 }, () => {
      const tab = openBrowser(own)
      tab.cookies.set(refreshCookie, before)
      return tab
    })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => tabs).flatMap(each => each.map(tab => tab.call('refreshToken'))),
    )
    expect(answers.map(answer => answer.status)).toEqual(Array(100).fill(200))
    const cookies = new Set(tabs.map(tab => tab.cookies.get(refreshCookie)))
    expect(cookies.size).toBe(1)
    const rows = await own.services.db.selectFrom('refresh_token').select('hash').execute()
    expect(rows).toHaveLength(2)
    expect((await tabs[3]?.call('refreshToken'))?.status).toBe(200)
    await own.close()
  })

  it('stay signed in when they refresh at once in many rounds', async () => {
    const own = await startTestServer({ database })
    const { cookies, applicantId } = await signIn(own)
    for (let round = 0; round < 20; round += 1) {
      const tabs = Array.from({ length: 5 }, () => {
        const tab = openBrowser(own)
        for (const [name, value] of cookies) tab.cookies.set(name, value)
        return tab
      })
      const answers = await Promise.all(tabs.map(tab => tab.call('refreshToken')))
      expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200, 200])
      cookies.set(refreshCookie, tabs[round % 5]?.cookies.get(refreshCookie) ?? '')
    }
    const open = await own.services.db
      .selectFrom('session')
      .select('applicant_id')
      .where('ended_at', 'is', null)
      .execute()
    expect(open).toEqual([{ applicant_id: applicantId }])
    await own.close()
  })

  it('get the same cookie when they lost a response and refresh much later, all at once', async () => {
    const own = await startTestServer({ database })
    const signedIn = await signIn(own)
    const before = signedIn.cookies.get(refreshCookie) ?? ''
    await signedIn.call('refreshToken')
    await own.advanceSeconds(60)
    const tabs = Array.from({ length: 5 }, () => {
      const tab = openBrowser(own)
      tab.cookies.set(refreshCookie, before)
      return tab
    })
    const answers = await Promise.all(tabs.map(tab => tab.call('refreshToken')))
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(tabs.map(tab => tab.cookies.get(refreshCookie))).size).toBe(1)
    expect((await tabs[0]?.call('refreshToken'))?.status).toBe(200)
    await own.close()
  })
})

describe.each(testedEngines)('a session on %s', database => {
  it('ends when ten clients at once present a cookie whose successor was used', async () => {
    const own = await startTestServer({ database })
    const signedIn = await signIn(own)
    const stolen = signedIn.cookies.get(refreshCookie) ?? ''
    await signedIn.call('refreshToken')
    await signedIn.call('refreshToken')
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await own.advanceSeconds(11)
    const thieves = Array.from({ length: 10 }, () => {
      const thief = openBrowser(own)
      thief.cookies.set(refreshCookie, stolen)
      return thief
    })
    const answers = await Promise.all(thieves.map(thief => thief.call('refreshToken')))
    expect(answers.map(answer => answer.status)).toEqual(Array(10).fill(401))
    expect((await signedIn.call('refreshToken')).status).toBe(401)
    expect((await openBrowser(own, signedIn.token).call('listApplications')).status).toBe(401)
    await own.close()
  })
})

function doubled(): Uint8Array {
  const key = server.services.secrets.tokenKey
  return Buffer.concat([key, key])
}

function decode(part: string | undefined): string {
  return Buffer.from(part ?? '', 'base64url').toString()
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function forge(header: object, signature: string | undefined): string {
  return `${encode(header)}.${applicant.token.split('.')[1] ?? ''}.${signature ?? ''}`
}

function withClaims(claims: object): string {
  const [header = '', body = '', signature = ''] = applicant.token.split('.')
  return `${header}.${encode({ ...JSON.parse(decode(body)), ...claims })}.${signature}`
}

/** Changes a character that is not the last, because some bits of the last one are unused. */
function changeSignature(token: string): string {
  const at = token.length - 5
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
}

describe('the memory of the process', () => {
  it('forgets tokens that have expired', async () => {
    const count = 4_000
    let nowMs = server.clock.now().getTime()
    const services = { ...server.services, clock: { now: () => new Date(nowMs) } }
    const issue = (number: number) => {
      const msisdn = `2376${70_000_000 + number}`
      const [applicantId, sessionId] = [idOf(number), idOf(10 * count + number)]
      return issueAccessToken(services, { applicantId, sessionId, msisdn, email: '' })
    }
    const use = async (first: number, tokenCount: number) => {
      const tokens = await Promise.all(Array.from({ length: tokenCount }, (_, index) => issue(first + index)))
      // A token of this age does not mark its session as used, because its sign-in cannot be repeated any more.
      nowMs += 5 * 60_000
      for (const token of tokens) expect(await readBearer(services, token)).toBeDefined()
    }
    await use(count, 300) // Compiles the code, which stays in memory.
    const before = await heapBytes()
    await use(0, count)
    const held = (await heapBytes()) - before
    expect(held).toBeGreaterThan(2 ** 20)
    nowMs += services.config.tokenLifetimeSeconds * 1_000
    await use(2 * count, 1)
    expect((await heapBytes()) - before).toBeLessThan(held / 2)
  })
})

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}
