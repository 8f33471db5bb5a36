import type { Configuration } from '#server/config/config.ts'
import { buildWebhook, buildReport } from './webhooks.ts'
import { changeSome, type Parts, type SentRequest } from './changed-requests.ts'
import { faultOfOther, type Response } from './faults.ts'
import { encode, oddTexts } from './odd-values.ts'
import type { BuiltRequest, Way } from './way.ts'

/** A way that is no call of the contract: another route of the server, a file of the portal or an unknown address. */
type OtherWay = Omit<Way, 'faultOf'> & {
  /**
   * The beginning of the content type for each status of a success; '' fits any type, also none. A page of the portal, a 304
   * and a known failure fit every way (`faultOfOther`).
   */
  successes: Record<number, string>
  /** Returns another fault of the response; undefined when there is none. */
  alsoFaultOf?: (response: Response) => string | undefined
}

const page = 'text/html; charset=utf-8'

const webhooks: OtherWay[] = [
  {
    name: 'webhook',
    routes: ['GET', 'POST', 'PUT'].map(method => `${method} /hooks/payments/:source`),
    build: buildWebhook,
    successes: { 200: 'text/plain' },
  },
  {
    name: 'deliveryReport',
    routes: ['POST /hooks/sms/:provider/:key'],
    build: buildReport,
    successes: { 204: '' },
  },
]

function createPayPages(): OtherWay[] {
  const shown = new Set<string>()
  return [
    {
      name: 'payReturn',
      routes: ['GET /pay/return/:id?', 'POST /pay/return/:id?'],
      build: parts =>
        visit(
          parts,
          `/pay/return/${pick(parts, parts.subject.order?.returnId, parts.foreign.order?.returnId)}`,
        ),
      // 415: a payer gets a page also when the header `content-type` of the request is invalid.
      successes: { 200: page, 415: page },
      alsoFaultOf: ({ body }) => (/PP-\d{4}-\d/.test(body) ? 'shows an application number' : undefined),
    },
    {
      name: 'payCard',
      routes: ['GET /pay/card/:ticket'],
      build: parts =>
        get(parts, `/pay/card/${pick(parts, parts.subject.order?.ticket, parts.foreign.order?.ticket)}`),
      successes: { 200: page, 410: page },
      alsoFaultOf({ body }) {
        const [form] = /<form .*<\/form>/.exec(body) ?? []
        if (form === undefined) return undefined
        if (shown.has(form)) return 'shows the form of a used ticket'
        shown.add(form)
        return undefined
      },
    },
    {
      name: 'payResult',
      routes: ['POST /payResult/*'],
      build: parts => visit(parts, `/payResult/${pick(parts, 'a/b/c', 'a/'.repeat(500))}`),
      // A GET gets the page of the portal, a POST a redirect to it.
      successes: { 200: page, 303: '' },
    },
    ...['page.css', 'card.js', 'return.js', 'shared.js'].map(file => ({
      name: file,
      routes: [`GET /pay/${file}`],
      build: (parts: Parts) => get(parts, `/pay/${file}`),
      successes: { 200: 'text/' },
    })),
  ]
}

/** The successes of the page of the portal, its files and unknown addresses; 412 and 416 answer odd conditions. */
const files: Record<number, string> = { 200: '', 206: '', 412: '', 416: '' }

const portal: OtherWay[] = [
  ...['health', 'ready'].map(name => ({
    name,
    routes: [`GET /${name}`],
    build: (parts: Parts) => get(parts, `/${name}`),
    successes: { 200: 'application/json' },
  })),
  {
    name: 'network',
    routes: ['GET /network'],
    build: parts => get(parts, '/network'),
    successes: { ...files, 302: '' },
  },
  { name: 'welcome', routes: ['GET /'], build: parts => get(parts, '/'), successes: files },
  {
    name: 'portalFile',
    routes: ['GET /*'],
    build: parts => get(parts, parts.random.pick(addresses)),
    successes: files,
    alsoFaultOf: ({ body }) => (body.includes(hiddenText) ? 'shows a hidden file' : undefined),
  },
  {
    name: 'unknownAddress',
    routes: [],
    build: parts => visit(parts, parts.random.pick(addresses)),
    successes: files,
  },
]

/** The text of the hidden files and of a file beside the folder of the portal. */
export const hiddenText = 'text-of-a-hidden-file'

const addresses: readonly string[] = [
  '/mobile',
  '/form/x/y/Person',
  '/undo/ABCDEFGH',
  '/verify?a=b',
  '/assets/main.js',
  '/assets/gone.js',
  '/assets/',
  '/pages/fr/welcome.html',
  '/.env',
  '/assets/%2e%2e/.env',
  '/%2e%2e/hidden.txt',
  '/..%5chidden.txt',
  '/assets/..%2f..%2fhidden.txt',
  '//evil.example/x',
  '/metrics',
  '/api',
  '/api/v2/x',
  '/hooks',
  '/pay',
  '/index.html%00.js',
  `/${'a/'.repeat(2_000)}`,
  `/${'%f0%9f%92%a9'.repeat(1_000)}`,
]

/**
 * All ways besides the calls of the contract. Each server gets ways of its own, because a way may remember earlier
 * responses.
 */
export function createOtherWays({ emblem }: Pick<Configuration, 'emblem'>): readonly Way[] {
  const emblemPath = emblem?.path ?? ''
  const emblemWay: OtherWay = {
    name: 'emblem',
    routes: [`GET ${emblemPath}`],
    build: parts => get(parts, emblemPath),
    successes: { 200: 'image/png' },
  }
  return [...webhooks, ...createPayPages(), ...portal, emblemWay].map(
    ({ successes, alsoFaultOf, ...way }) => ({
      ...way,
      faultOf: response => faultOfOther(response, successes) ?? alsoFaultOf?.(response),
    }),
  )
}

/** Returns a part of an address: a valid value or an odd text. */
function pick({ random }: Parts, ...fitting: (string | undefined)[]): string {
  const known = fitting.filter(each => each !== undefined && each !== '')
  return known[random.below(known.length + 1)] ?? encode(random.pick(oddTexts).slice(0, 300))
}

function get(parts: Parts, url: string): BuiltRequest {
  const request: SentRequest = { method: 'GET', url, headers: { host: 'localhost:8080' } }
  return { applied: changeSome(request, parts), request }
}

/** Builds the request of a browser: a GET, or the POST of a form of a gateway. */
function visit(parts: Parts, url: string): BuiltRequest {
  if (parts.random.below(2) === 0) return get(parts, url)
  const type = parts.random.pick(['application/x-www-form-urlencoded', 'text/plain', 'application/json'])
  const request: SentRequest = {
    method: 'POST',
    url,
    headers: { host: 'localhost:8080', 'content-type': type, 'sec-fetch-site': 'cross-site' },
    payload: 'status=SUCCESS&amount=1',
  }
  return { applied: changeSome(request, parts), request }
}
