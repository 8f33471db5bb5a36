import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { type Answer, type Call, failureWithCode, type Route, textOf } from './call.ts'

const tokenSeconds = 600
const inactivitySeconds = 900
/** The lifetime of a code as `/version` states it. Here no code expires. */
const otpTtlSeconds = 60
/** The `statusCode` of a wrong code, and of one that has expired or was used (§8). */
const [wrongCode, noCode] = [1, 2]
const cookieName = 'refresh'
/** An attribute list for a cookie that only the refresh calls need. */
const cookieAttributes = 'Path=/api/v1/refresh-token; HttpOnly; SameSite=Lax'

type Applicant = { id: number; msisdn: string; email: string }

/** The calls of §7 "Sign-in and session", and the check of the bearer token (§6). */
export function createSessions() {
  const secret = randomBytes(32)
  const codes = new Map<string, string>()
  const applicants = new Map<string, Applicant>()
  /** Applicants by their refresh cookie. */
  const sessions = new Map<string, Applicant>()

  function auth({ body }: Call): Answer {
    const contact = textOf(body['msisdn']) || textOf(body['email'])
    if (contact === '') return failureWithCode(400)
    codes.set(contact, String(randomInt(100_000, 1_000_000)))
    return { json: { data: { statusCode: 0 } } }
  }

  function login({ body }: Call): Answer {
    const msisdn = textOf(body['msisdn'])
    const email = textOf(body['email'])
    const contact = msisdn || email
    const code = codes.get(contact)
    if (code === undefined) return failureWithCode(noCode)
    if (textOf(body['otp']) !== code) return failureWithCode(wrongCode)
    codes.delete(contact)
    const applicant = applicants.get(contact) ?? { id: 7_000 + applicants.size, msisdn, email }
    applicants.set(contact, applicant)
    return {
      json: { token: tokenOf(applicant), applicantId: applicant.id },
      setCookie: createSessionCookie(applicant),
    }
  }

  function refresh({ cookie }: Call): Answer {
    const applicant = sessions.get(cookie ?? '')
    if (!applicant) return { status: 401, json: {} }
    sessions.delete(cookie ?? '')
    return { json: { data: { token: tokenOf(applicant) } }, setCookie: createSessionCookie(applicant) }
  }

  function logout({ cookie }: Call): Answer {
    sessions.delete(cookie ?? '')
    return { setCookie: `${cookieName}=; Max-Age=0; ${cookieAttributes}` }
  }

  function createSessionCookie(applicant: Applicant): string {
    const value = randomBytes(16).toString('hex')
    sessions.set(value, applicant)
    return `${cookieName}=${value}; ${cookieAttributes}`
  }

  /** A JWT with the claims of §3. */
  function tokenOf({ id, msisdn, email }: Applicant): string {
    const iat = Math.floor(Date.now() / 1_000)
    const claims = {
      msisdn,
      email,
      applicantId: id,
      exp: iat + tokenSeconds,
      iat,
      inactivity: inactivitySeconds,
    }
    const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }

  const routes: Route[] = [
    {
      method: 'POST',
      path: '/auth',
      open: true,
      fields: ['msisdn', 'email', 'gRecaptchaResponse'],
      handler: auth,
    },
    { method: 'GET', path: '/getSiteKey', open: true, handler: () => ({ json: { data: 'site-key' } }) },
    { method: 'POST', path: '/login', open: true, fields: ['msisdn', 'email', 'otp'], handler: login },
    { method: 'POST', path: '/refresh-token', open: true, handler: refresh },
    { method: 'POST', path: '/refresh-token/logout', open: true, handler: logout },
    {
      method: 'GET',
      path: '/version',
      open: true,
      handler: () => ({ json: { version: 'reference 1.0', otpTtl: otpTtlSeconds } }),
    },
  ]

  return {
    routes,
    /** `contact`: the digits of a phone, or an e-mail address. Returns its unused code; undefined when it has none. */
    findCode: (contact: string) => codes.get(contact),
    countOpenSessions: () => sessions.size,
    /** Undefined when the token is forged or has expired. */
    readToken: (token: string): number | undefined => {
      const [header, payload = '', signature] = token.split('.')
      const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')
      if (signature !== expected) return undefined
      const { applicantId, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
      return exp * 1_000 > Date.now() ? applicantId : undefined
    },
    readCookie(header: string | undefined): string | undefined {
      return new RegExp(`(?:^|; )${cookieName}=(\\w+)`).exec(header ?? '')?.[1]
    },
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
