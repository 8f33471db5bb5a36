import { apiRoot } from '#contract/codes.ts'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import type { Endpoint } from '#contract/open-endpoints.ts'
import type { RandomSource } from '#support/random-source.ts'
import type { Subject, ValidRequest } from './valid-requests.ts'

/** What is sent. `headers`: a list value is sent as several headers of one name. */
export type SentRequest = {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string | string[]>
  payload?: string
}

type Parts = { of: Subject; foreign: Subject; random: RandomSource; key: string }
type Change = (request: SentRequest, parts: Parts) => void

/** Texts on which parsers, databases and typesetting differ. */
const oddTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\u202egnp.exe',
  '\ufeff',
  'e\u0301',
  '\u00e9',
  '\u200b'.repeat(40),
  `Z${'\u0301'.repeat(300)}`,
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  "' or '1'='1",
  '${7*7}{{7*7}}',
  '<script>',
  '../../etc/passwd',
  '%00',
  '__proto__',
  'constructor',
  'toString',
  '2026-02-30',
  '+999999-01-01T00:00:00Z',
  '9'.repeat(400),
  'x'.repeat(20_000),
]

const oddNumbers: readonly number[] = [0, -1, 0.5, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 1e-320]

/** A value of any type, now and then nested so deeply that a recursive reader ends. */
function oddValue(random: RandomSource): unknown {
  switch (random.below(8)) {
    case 0:
      return random.pick(oddTexts)
    case 1:
      return random.pick(oddNumbers)
    case 2:
      return random.pick([null, true, false])
    case 3:
      return Array.from({ length: random.pick([0, 1, 5_000]) }, () => 'a')
    case 4:
      return JSON.parse(nested(random.pick([3, 40, 2_000])))
    case 5:
      return { __proto__: null, constructor: { prototype: { admin: true } }, length: -1 }
    case 6:
      return { toString: 'x', valueOf: 1, hasOwnProperty: 'y' }
    default:
      return [[], {}, [null]]
  }
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

function changeBody(request: SentRequest, change: (body: Record<string, unknown>) => void): void {
  // JSON.stringify is recursive, JSON.parse is not: a body of an earlier change may be too deep to be written again.
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

/** Replaces one parameter of the address. */
function changeQuery(request: SentRequest, random: RandomSource, value: string): void {
  const [path = '', search = ''] = request.url.split('?')
  const pairs = search.split('&').filter(pair => pair !== '')
  const name = pairs.length === 0 ? 'lg' : (random.pick(pairs).split('=')[0] ?? 'lg')
  const kept = pairs.filter(pair => !pair.startsWith(`${name}=`))
  request.url = `${path}?${[...kept, `${name}=${value}`].join('&')}`
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed())

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
      body[random.pick(['extra', ...oddTexts])] = oddValue(random)
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

const addressChanges: Record<string, Change> = {
  foreignId: (request, { of, foreign }) => {
    for (const kind of ['application', 'appointment', 'payment', 'session'] as const) {
      request.url = request.url.replaceAll(of[kind], foreign[kind])
      if (request.payload !== undefined) request.payload = request.payload.replaceAll(of[kind], foreign[kind])
    }
  },
  oddId: (request, { of, random }) => {
    const odd = encode(random.pick(oddTexts).slice(0, 500))
    for (const id of [of.application, of.appointment, of.payment, of.session])
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
  badToken: (request, { random, of }) => {
    const { token } = of.applicant
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
  otherSite: request => {
    request.headers['sec-fetch-site'] = 'cross-site'
    request.headers['origin'] = 'null'
  },
}

const unchanged: Record<string, Change> = { unchanged: () => undefined }
const changes = { ...bodyChanges, ...addressChanges, ...headerChanges, ...unchanged }

/** Builds a request from a valid one, with up to three changes. Returns the names of the changes with it. */
export function changeRequest(
  name: EndpointName,
  valid: ValidRequest,
  parts: Parts,
): { request: SentRequest; applied: string[] } {
  const { random } = parts
  const request = toRequest(name, valid, parts)
  const applied: string[] = []
  const rounds = random.pick([0, 1, 1, 1, 2, 3])
  for (let round = 0; round < rounds; round += 1) {
    const isRead = endpoints[name].method === 'GET'
    const group = random.pick(
      isRead ? [addressChanges, headerChanges] : [bodyChanges, bodyChanges, addressChanges, headerChanges],
    )
    const change = random.pick(Object.keys(group))
    changes[change]?.(request, parts)
    applied.push(change)
  }
  return { request, applied }
}

function toRequest(name: EndpointName, valid: ValidRequest, { of, random }: Parts): SentRequest {
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
      ...(endpoint.access === 'applicant' ? { authorization: `Bearer ${of.applicant.token}` } : {}),
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
