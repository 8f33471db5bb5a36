import { createHash } from 'node:crypto'
import { createAnswerNonce, readAnswerMark } from '#contract/answer-mark.ts'
import { type AnswerOutput, type CallInput, type EndpointName, endpoints } from '#contract/endpoints.ts'
import { answerMarkHeader, answerNonceHeader, apiRoot } from '#contract/codes.ts'
import type { Endpoint } from '#contract/sign-in-endpoints.ts'
import { Failure } from '#contract/failure.ts'
import type { Caller } from '#server/calls/call.ts'
import { contactValue } from '#server/database/contact-values.ts'
import type { Services } from '#server/calls/services.ts'
import { issueAccessToken } from '#server/features/session/access-token.ts'
import type { TestServer } from './test-server.ts'

/** The name of the refresh cookie at http://localhost, where these tests call (D65). */
export const refreshCookie = 'refresh'

/** The response of a call, parsed by the contract. The body of a file is its bytes. */
export type Answered<Name extends EndpointName> =
  | { kind: 'ok'; status: number; headers: Record<string, unknown>; body: AnswerOutput<Name> }
  | { kind: 'failed'; status: number; headers: Record<string, unknown>; failure: Failure }

export type CallParts<Name extends EndpointName> = Partial<CallInput<Name>> & {
  /** The idempotency key. */
  key?: string
  headers?: Record<string, string>
}

/** A client in place of a browser: it stores cookies, and sends all of them and `sec-fetch-site` with each call. */
export type TestBrowser = {
  cookies: Map<string, string>
  call<Name extends EndpointName>(name: Name, parts?: CallParts<Name>): Promise<Answered<Name>>
}

export type SignedIn = TestBrowser & { token: string; applicantId: string; draftKey: string | undefined }

/** An applicant who signed in without a code, and the caller that the server reads from the token. */
export type SignedInDirectly = TestBrowser & { token: string; applicantId: string; caller: Caller }

/** The contact that an applicant has verified: a phone number as digits with the country code, an e-mail address, or both. */
export type Contact = { phone?: string; email?: string }

/** Opens a client without cookies. `token`: the access token that it sends with calls that need an applicant. */
export function openBrowser(server: TestServer, token?: string): TestBrowser {
  const cookies = new Map<string, string>()
  return {
    cookies,
    call: (name, parts = {}) => call({ server, cookies, token }, name, parts),
  }
}

/** Signs in with a one-time code and checks every response against the contract. @throws when a call fails. */
export async function signIn(
  server: TestServer,
  contact: Contact = { phone: '237670000001' },
): Promise<SignedIn> {
  const browser = openBrowser(server)
  const contactBody = { msisdn: contact.phone ?? '', email: contact.email ?? '' }
  const codeAnswer = await browser.call('auth', { body: contactBody })
  if (codeAnswer.kind === 'failed') throw new Error(`No code: ${JSON.stringify(codeAnswer.failure)}`)
  const otp = await server.outbox.codeFor((contact.phone ?? contact.email ?? '').toLowerCase())
  const signInAnswer = await browser.call('login', { body: { ...contactBody, otp } })
  if (signInAnswer.kind === 'failed') throw new Error(`No sign-in: ${JSON.stringify(signInAnswer.failure)}`)
  const { token, applicantId, draftKey } = signInAnswer.body.data
  const { cookies } = browser
  return {
    cookies,
    token,
    applicantId,
    draftKey,
    call: (name, parts = {}) => call({ server, cookies, token }, name, parts),
  }
}

/** Stores a new applicant with a session, for tests that begin after the sign-in. Each call stores another applicant. */
export async function signInDirectly(server: TestServer, contact?: Contact): Promise<SignedInDirectly> {
  const session = await createSession(server.services, contact)
  return { ...openBrowser(server, session.token), ...session, applicantId: session.caller.applicantId }
}

/**
 * Stores a new applicant with a session, for a test without a `TestServer`. Returns the caller and an access token.
 */
export async function createSession(
  services: Services,
  { phone = '', email = '' }: Contact = { phone: '237671234567' },
): Promise<{ caller: Caller; token: string }> {
  const { id: applicantId } = await services.db
    .insertInto('applicant')
    .values({ language: 'en' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const contacts = [
    { kind: 'phone', value: phone } as const,
    { kind: 'email', value: email } as const,
  ].filter(({ value }) => value !== '')
  for (const contact of contacts)
    await services.db
      .insertInto('contact')
      .values({ kind: contact.kind, value: contactValue(contact.value), applicant_id: applicantId })
      // When several applicants of a test have the same contact, the last one owns it: notices go to the owner.
      .onConflict(taken => taken.columns(['kind', 'value']).doUpdateSet({ applicant_id: applicantId }))
      .execute()
  const { id: sessionId } = await services.db
    .insertInto('session')
    .values({ applicant_id: applicantId, ended_at: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const caller = { applicantId, sessionId, msisdn: phone, email }
  return { caller, token: await issueAccessToken(services, caller) }
}

/** Returns the body of a success. @throws an error with the failure otherwise. */
export function bodyOf<Name extends EndpointName>(answered: Answered<Name>): AnswerOutput<Name> {
  if (answered.kind === 'ok') return answered.body
  throw new Error(`status ${answered.status}: ${JSON.stringify(answered.failure)}`)
}

type Connection = { server: TestServer; cookies: Map<string, string>; token: string | undefined }

async function call<Name extends EndpointName>(
  { server, cookies, token }: Connection,
  name: Name,
  parts: CallParts<Name>,
): Promise<Answered<Name>> {
  const endpoint: Endpoint = endpoints[name]
  const nonce = createAnswerNonce()
  const response = await server.app.inject({
    method: endpoint.method,
    url: addressOf(endpoint, parts),
    headers: {
      host: 'localhost:8080',
      'sec-fetch-site': 'same-origin',
      ...(endpoint.method === 'POST' ? { 'content-type': contentTypeOf(endpoint) } : {}),
      ...(token === undefined || endpoint.access !== 'applicant' ? {} : { authorization: `Bearer ${token}` }),
      ...(parts.key === undefined ? {} : { 'idempotency-key': parts.key }),
      ...(cookies.size === 0 ? {} : { cookie: [...cookies].map(pair => pair.join('=')).join('; ') }),
      [answerNonceHeader]: nonce,
      ...parts.headers,
    },
    ...(parts.body === undefined ? {} : { payload: encodeBody(endpoint, parts.body) }),
  })
  for (const cookie of response.cookies) {
    if (cookie.value === '') cookies.delete(cookie.name)
    else cookies.set(cookie.name, cookie.value)
  }
  const { statusCode: status, headers } = response
  // The portal takes an answer without the right mark for a lost connection (D60).
  expectMark(headers, { body: response.rawPayload, nonce })
  const failure = readFailure(response)
  if (failure) return { kind: 'failed', status, headers, failure }
  const parsed: unknown =
    endpoint.answer === 'file' ? response.rawPayload : endpoint.answer.parse(response.json())
  // This endpoint's schema has parsed it. The compiler cannot connect a name with its row of the table.
  return { kind: 'ok', status, headers, body: parsed as AnswerOutput<Name> }
}

function expectMark(
  headers: Record<string, unknown>,
  { body, nonce }: { body: Buffer; nonce: string },
): void {
  const mark = readAnswerMark(String(headers[answerMarkHeader]))
  // Not with the product's own function, which leaves the thread for each answer.
  const isOfRequest =
    mark?.nonce === nonce && mark.digest === createHash('sha256').update(body).digest('base64url')
  if (!isOfRequest) throw new Error(`The answer has no valid mark: ${String(headers[answerMarkHeader])}`)
}

/** Returns the failure of a JSON response: of an error status, or of a success status with a `reason` (such as a wrong code). */
function readFailure(response: {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}): Failure | undefined {
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  if (!isJson) return undefined
  const body: unknown = JSON.parse(response.body)
  const hasReason = typeof body === 'object' && body !== null && 'reason' in body
  return hasReason || response.statusCode >= 400 ? Failure.parse(body) : undefined
}

function addressOf(endpoint: Endpoint, parts: { params?: unknown; query?: unknown }): string {
  const params = new Map(Object.entries(parts.params ?? {}))
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params.get(name))),
  )
  const query = Object.entries(parts.query ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const search = new URLSearchParams(query).toString()
  return `${apiRoot}${path}${search === '' ? '' : `?${search}`}`
}

/** An endpoint with a ticket gets an HTML form, because the browser opens its answer as a page; all others get JSON. */
function contentTypeOf(endpoint: Endpoint): string {
  return endpoint.access === 'ticket' ? 'application/x-www-form-urlencoded' : 'application/json'
}

function encodeBody(endpoint: Endpoint, body: object): string {
  if (endpoint.access !== 'ticket') return JSON.stringify(body)
  return new URLSearchParams(
    Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
}
