import { apiRoot } from '#contract/codes.ts'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import type { Endpoint } from '#contract/open-endpoints.ts'
import { callsById, type CallIds, callsWithoutIds } from '#support/data/valid-calls.ts'
import type { RandomSource } from '#support/random-source.ts'
import { changeField, oddTexts, oddValue, toJson } from './odd-values.ts'

export type FuzzRequest = {
  name: EndpointName
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  payload?: string
  remoteAddress: string
}

/** Who calls, and which ids the call may name. */
export type Cast = {
  token: string
  cookie: string
  own: readonly CallIds[]
  /** Of an applicant whose data must not change, and of nobody. */
  foreign: readonly CallIds[]
  foreignToken: string
  /** The idempotency keys of earlier requests. */
  usedKeys: string[]
}

type Parts = {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown>
}

/** Returns a valid request of this call, with up to three things changed. One in ten stays valid. */
export function generateRequest(random: RandomSource, name: EndpointName, cast: Cast): FuzzRequest {
  const endpoint: Endpoint = endpoints[name]
  const ids = random.below(6) === 0 ? random.pick(cast.foreign) : random.pick(cast.own)
  const valid = callsById(ids)[name] ?? callsWithoutIds[name] ?? {}
  let parts: Parts = {
    params: { ...valid.params },
    query: { ...valid.query },
    body: endpoint.access === 'ticket' ? { token: cast.token } : { ...valid.body },
  }
  const changes = random.below(10) === 0 ? 0 : 1 + random.below(3)
  for (let change = 0; change < changes; change += 1) parts = changeParts(random, parts)
  const query = queryOf(random, parts.query)
  return {
    name,
    method: endpoint.method,
    url: `${apiRoot}${pathOf(random, endpoint.path, parts.params)}${query}`,
    headers: headersOf(random, endpoint, cast),
    ...(endpoint.method === 'POST' ? { payload: payloadOf(random, endpoint, parts.body) } : {}),
    remoteAddress: `10.${random.below(250)}.${random.below(250)}.${random.below(250)}`,
  }
}

function changeParts(random: RandomSource, parts: Parts): Parts {
  const part = random.pick(['params', 'query', 'body', 'body', 'body'] as const)
  if (part === 'params' && Object.keys(parts.params).length === 0) return parts
  return { ...parts, [part]: changeField(random, parts[part]) }
}

function pathOf(random: RandomSource, path: string, params: Record<string, unknown>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = shortText(params[name])
    if (random.below(40) === 0) return random.pick(['%zz', '%ff', '%00', '..%2f..', '%E2%82', '%25'])
    return encodeText(value)
  })
}

function queryOf(random: RandomSource, query: Record<string, unknown>): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeText(name)}=${encodeText(shortText(value))}`,
  )
  if (random.below(12) === 0)
    pairs.push(...pairs, random.pick(['lg=fr&lg=en', 'a[b]=1', '%zz=%zz', '=', '&&']))
  if (random.below(4) === 0) pairs.push(`lg=${encodeText(random.pick(['fr', 'en', ...oddTexts]))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function headersOf(random: RandomSource, endpoint: Endpoint, cast: Cast): Record<string, string> {
  const token =
    random.below(15) === 0 ? random.pick(['', 'a.b.c', cast.foreignToken.slice(0, -3), 'null']) : cast.token
  const isForm = endpoint.access === 'ticket'
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const oddTypes = [
    'text/plain',
    'application/xml',
    'multipart/form-data',
    'application/json; charset=utf-16',
    '',
  ]
  return {
    host: 'localhost:8080',
    'sec-fetch-site': random.below(40) === 0 ? random.pick(['cross-site', 'none', 'x']) : 'same-origin',
    ...(endpoint.method === 'POST' && {
      'content-type': random.below(25) === 0 ? random.pick(oddTypes) : type,
    }),
    ...(endpoint.access === 'applicant' && { authorization: `Bearer ${token}` }),
    ...(endpoint.access === 'cookie' && {
      cookie: random.below(4) === 0 ? 'refresh=x; refresh=y' : cast.cookie,
    }),
    ...(endpoint.writes && random.below(3) > 0 && { 'idempotency-key': keyOf(random, cast) }),
    ...(random.below(30) === 0 && { 'accept-language': random.pick(['xx', ';q=9', 'fr;q=0.0001,en']) }),
  }
}

function keyOf(random: RandomSource, { usedKeys }: Cast): string {
  if (random.below(5) === 0) return random.pick(['x', 'key', '0'.repeat(101), 'a b c d e f g h', '________'])
  if (usedKeys.length > 0 && random.below(2) === 0) return random.pick(usedKeys)
  const key = `key-${random.below(1e9)}-${random.below(1e9)}`
  usedKeys.push(key)
  if (usedKeys.length > 50) usedKeys.shift()
  return key
}

function payloadOf(random: RandomSource, endpoint: Endpoint, body: Record<string, unknown>): string {
  if (endpoint.access === 'ticket')
    return Object.entries(body)
      .map(([name, value]) => `${encodeText(name)}=${encodeText(shortText(value))}`)
      .join('&')
  const json = toJson(body)
  switch (random.below(30)) {
    case 0:
      return json.slice(0, random.below(json.length))
    case 1:
      // Each key twice.
      return `${json.slice(0, -1)}${json === '{}' ? '' : ','}${json.slice(1)}`
    case 2:
      return random.pick([
        '',
        'null',
        '[]',
        '"text"',
        '1',
        '{]',
        '{"a":}',
        '\uFEFF{}',
        '{"a":1}{"b":2}',
        'NaN',
      ])
    case 3:
      return toJson({ value: oddValue(random) })
    default:
      return json
  }
}

/** Paths and queries have a limit of their own; what is longer never reaches the code. */
function shortText(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')).slice(0, 2_000)
}

/** Lone surrogates cannot be encoded: a browser sends the replacement character for them. */
function encodeText(value: string): string {
  return encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))
}
