import { apiRoot } from '#contract/codes.ts'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import type { Endpoint } from '#contract/sign-in-endpoints.ts'
import type { RandomSource } from '#support/random-source.ts'
import { encode, nested, oddNumbers, oddTexts, oddValue } from './odd-values.ts'
import type { Order, Subject, ValidRequest } from './valid-requests.ts'

/** What is sent. `headers`: a list value is sent as several headers of one name. */
export type SentRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT'
  url: string
  headers: Record<string, string | string[]>
  payload?: string
}

/**
 * `subject`: the applicant for whom the request is built. `foreign`: another applicant, whose rows no request may change.
 * `key`: the idempotency key of an earlier request, at first an unused one. `earlier`: payment orders of earlier
 * applicants, for webhooks; most of these orders are no longer in progress.
 */
export type Parts = {
  subject: Subject
  foreign: Subject
  random: RandomSource
  key: string
  earlier: readonly Order[]
}
type Change = (request: SentRequest, parts: Parts) => void

function changeBody(request: SentRequest, change: (body: Record<string, unknown>) => void): void {
  // JSON.stringify is recursive, JSON.parse is not: after an earlier change the body may be too deep for
  // JSON.stringify.
  const isDeep = /[[{]{100}|(?:\{"a":){100}/.test(request.payload ?? '')
  const body = isDeep ? undefined : readObject(request.payload)
  if (!body) return
  change(body)
  request.payload = JSON.stringify(body)
}

function readObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Replaces one parameter of the address; adds `lg` when it has none. */
function changeQuery(request: SentRequest, random: RandomSource, value: string): void {
  const [path = '', search = ''] = request.url.split('?')
  const pairs = search.split('&').filter(pair => pair !== '')
  const name = pairs.length === 0 ? 'lg' : (random.pick(pairs).split('=')[0] ?? 'lg')
  const kept = pairs.filter(pair => !pair.startsWith(`${name}=`))
  request.url = `${path}?${[...kept, `${name}=${value}`].join('&')}`
}

const bodyChanges: Record<string, Change> = {
  wrongType: (request, { random }) =>
    changeBody(request, body => {
      const names = Object.keys(body)
      body[names.length === 0 ? 'a' : random.pick(names)] = oddValue(random)
    }),
  oddText: (request, { random }) =>
    changeBody(request, body => {
      const names = Object.keys(body)
      if (names.length > 0) body[random.pick(names)] = random.pick(oddTexts)
    }),
  missing: (request, { random }) =>
    changeBody(request, body => {
      const names = Object.keys(body)
      if (names.length > 0) delete body[random.pick(names)]
    }),
  extra: (request, { random }) =>
    changeBody(request, body => {
      // An assignment to __proto__ would set the prototype, and JSON would lack it.
      Object.defineProperty(body, random.pick(['extra', ...oddTexts]), {
        value: oddValue(random),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }),
  staleVersion: (request, { random }) =>
    changeBody(request, body => {
      body['baseVersion'] = random.pick([...oddNumbers, 1, 2, 1_000])
    }),
  doubledKey: (request, { random }) => {
    const name = random.pick(Object.keys(readObject(request.payload) ?? { a: 1 }).concat('__proto__'))
    const value = JSON.stringify(oddValue(random))
    request.payload = `${(request.payload ?? '{}').slice(0, -1)},${JSON.stringify(name)}:${value}}`
  },
  malformed: (request, { random }) => {
    const text = request.payload ?? '{}'
    request.payload = random.pick([
      text.slice(0, random.below(text.length + 1)),
      '',
      'null',
      '[]',
      '"text"',
      '{"a":NaN}',
      `\ufeff${text}`,
      nested(50_000),
      '{"a":'.repeat(20_000),
    ])
  },
  huge: (request, { random }) =>
    changeBody(request, body => {
      body['huge'] = random.pick(['x', '\u0000', '\ud83d\ude00']).repeat(random.pick([5_000, 60_000]))
    }),
}

/** Changes the pairs of a form; the result may not be a valid form. */
function changePairs(request: SentRequest, change: (pairs: string[]) => string[]): void {
  request.payload = change((request.payload ?? '').split('&')).join('&')
}

const formChanges: Record<string, Change> = {
  oddField: (request, { random }) =>
    changePairs(request, pairs => {
      const changed = random.below(pairs.length)
      const odd = encode(random.pick(oddTexts))
      return pairs.map((pair, index) => (index === changed ? `${pair.split('=')[0]}=${odd}` : pair))
    }),
  missingField: (request, { random }) =>
    changePairs(request, pairs => pairs.toSpliced(random.below(pairs.length), 1)),
  doubledField: (request, { random }) =>
    changePairs(request, pairs => {
      const doubled = random.pick(pairs)
      return [...pairs, doubled, `${doubled.split('=')[0]}=other`]
    }),
  malformedForm: (request, { random }) => {
    const text = request.payload ?? ''
    const more = [
      '%',
      '&%zz=%c0%ae',
      '&=&=&&',
      '&'.repeat(20_000),
      '&__proto__=x&constructor[a]=x',
      '\ufeff',
      '\0',
    ]
    request.payload = random.pick([
      '',
      text.slice(0, random.below(text.length + 1)),
      `${text}${random.pick(more)}`,
    ])
  },
  hugeForm: (request, { random }) => {
    request.payload += `&huge=${random.pick(['x', '%00', '\u00e9']).repeat(random.pick([5_000, 30_000]))}`
  },
}

const addressChanges: Record<string, Change> = {
  foreignId: (request, { subject, foreign }) => {
    for (const kind of ['application', 'appointment', 'payment', 'session'] as const) {
      request.url = request.url.replaceAll(subject[kind], foreign[kind])
      if (request.payload !== undefined)
        request.payload = request.payload.replaceAll(subject[kind], foreign[kind])
    }
  },
  oddId: (request, { subject, random }) => {
    const odd = encode(random.pick(oddTexts).slice(0, 500))
    for (const id of [subject.application, subject.appointment, subject.payment, subject.session])
      request.url = request.url.replaceAll(id, odd)
  },
  oddQuery: (request, { random }) =>
    changeQuery(request, random, encode(random.pick(oddTexts).slice(0, 8_000))),
  badEncoding: (request, { random }) =>
    changeQuery(request, random, random.pick(['%', '%zz', '%c0%ae', '%ed%a0%80', '%ff%fe', '+%2', '%u0041'])),
  badPath: (request, { random }) => {
    request.url = `${request.url.split('?')[0]}${random.pick(['%', '%c0%ae', '//', '/..', ';a=b', '%2f%2e%2e'])}`
  },
  doubledQuery: request => {
    const [path, search = 'lg=fr'] = request.url.split('?')
    request.url = `${path}?${search}&${search}&lg=en&lg[]=fr&__proto__=x`
  },
}

const headerChanges: Record<string, Change> = {
  wrongContentType: (request, { random }) => {
    request.headers['content-type'] = random.pick([
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
      '\u00e9',
    ])
  },
  badToken: (request, { random, subject }) => {
    const { token } = subject.applicant
    request.headers['authorization'] = random.pick([
      'Bearer',
      'Bearer a.b.c',
      `Bearer ${token.slice(0, -4)}AAAA`,
      `Basic ${token}`,
      `Bearer ${token} ${token}`,
      `Bearer ${'x'.repeat(9_000)}`,
    ])
  },
  replayedKey: (request, { key }) => {
    request.headers['idempotency-key'] = key
  },
  oddKey: (request, { random }) => {
    request.headers['idempotency-key'] = random.pick(['', 'x', '0'.repeat(5_000), 'constructor', '\u00e9'])
  },
  doubledHeaders: request => {
    request.headers['accept-language'] = ['fr', 'en', 'x'.repeat(4_000)]
    request.headers['cookie'] = ['refresh=a', 'refresh=b; browser=%', '__proto__=1; ;;=']
    request.headers['x-forwarded-for'] = ['1.2.3.4', 'nonsense, ::1']
  },
  oddConditions: (request, { random }) => {
    Object.assign(
      request.headers,
      random.pick<Record<string, string>>([
        { range: 'bytes=0-0,1-1,-5' },
        { range: 'bytes=9999999-' },
        { 'if-none-match': '*' },
        { 'if-match': '"x"', 'if-unmodified-since': 'nonsense' },
        { 'accept-encoding': 'br;q=0, gzip;q=nonsense, *;q=0' },
        { 'content-encoding': 'gzip' },
        { 'x-http-method-override': 'DELETE', 'x-original-url': '/metrics' },
        { accept: 'x'.repeat(4_000), expect: '100-continue' },
      ]),
    )
  },
  otherSite: request => {
    request.headers['sec-fetch-site'] = 'cross-site'
    request.headers['origin'] = 'null'
  },
}

const readChanges: Record<string, Change> = {
  onlyHeaders: request => {
    request.method = 'HEAD'
  },
}

/** Makes none to three random changes. Returns the names of the changes. */
export function changeSome(request: SentRequest, parts: Parts): string[] {
  const { random } = parts
  const applied: string[] = []
  const rounds = random.pick([0, 1, 1, 1, 2, 3])
  for (let round = 0; round < rounds; round += 1) {
    const group = random.pick(groupsFor(request))
    const change = random.pick(Object.keys(group))
    group[change]?.(request, parts)
    applied.push(change)
  }
  return applied
}

function groupsFor({ method, headers }: SentRequest): Record<string, Change>[] {
  if (method === 'GET') return [addressChanges, addressChanges, headerChanges, headerChanges, readChanges]
  if (method === 'HEAD') return [addressChanges, headerChanges]
  const isForm = String(headers['content-type']).includes('form')
  const inBody = isForm ? formChanges : bodyChanges
  return [inBody, inBody, addressChanges, headerChanges]
}

/** Builds a request from valid parts, with none to three random changes. Also returns the names of the changes. */
export function buildRequest(
  name: EndpointName,
  valid: ValidRequest,
  parts: Parts,
): { request: SentRequest; applied: string[] } {
  const request = toRequest(name, valid, parts)
  return { applied: changeSome(request, parts), request }
}

function toRequest(name: EndpointName, valid: ValidRequest, { subject, random }: Parts): SentRequest {
  const endpoint: Endpoint = endpoints[name]
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, param: string) => encode(valid.params?.[param] ?? ''))
  const query = Object.entries(valid.query ?? {}).map(([key, value]) => `${key}=${encode(String(value))}`)
  const isForm = endpoint.access === 'ticket'
  const isWrite = endpoint.method === 'POST'
  return {
    method: endpoint.method,
    url: `${apiRoot}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    headers: {
      host: 'localhost:8080',
      'sec-fetch-site': 'same-origin',
      ...(isWrite
        ? { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }
        : {}),
      ...(endpoint.access === 'applicant' ? { authorization: `Bearer ${subject.applicant.token}` } : {}),
      ...(endpoint.writes && random.below(3) > 0 ? { 'idempotency-key': keyOf(random) } : {}),
    },
    ...(isWrite
      ? {
          payload: isForm
            ? `token=${encode(String(valid.body?.['token']))}`
            : JSON.stringify(valid.body ?? {}),
        }
      : {}),
  }
}

/** A UUID from the seed, so that a run can be repeated. */
export function keyOf(random: RandomSource): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}
