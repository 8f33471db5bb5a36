import { kib, markdown } from '../table.ts'

/** The body of one response, compressed as it was sent, without headers and encryption. */
export type Body = { path: string; bytes: number }

/** What a response is; the first kind whose pattern the path matches. */
const kinds = [
  ['service worker', /^\/(?:sw\.js|assets\/service-worker-)/],
  ['texts in French', /^\/assets\/fr-/],
  ['texts in English, for a change of the language offline', /^\/assets\/en-/],
  ['scripts other than texts and service worker (docs/bench-bytes.md)', /\.js$/],
  ['style sheets', /\.css$/],
  ['icons, drawings and the manifest', /\.(?:svg|png|webmanifest)$/],
  ['lists of places, countries and occupations', /^\/api\/v1\/(?:dictionary|applications\/countries)/],
  ['receipt as a PDF', /\/get-pdf/],
  ['calls other than lists and PDF', /^\/api\//],
  ['pages', /./],
] as const satisfies readonly (readonly [string, RegExp])[]

export type Kind = (typeof kinds)[number][0]

/** `path` may have a query. */
export function kindOf(path: string): Kind {
  const withoutQuery = path.split('?')[0] ?? ''
  return kinds.find(([, pattern]) => pattern.test(withoutQuery))?.[0] ?? 'pages'
}

/** A table of what the bytes of a visit are. `received`: bytes with headers and encryption. */
export function describeKinds(bodies: readonly Body[], received: number): string {
  const rows = kinds.map(([kind]) => {
    const ofKind = bodies.filter(({ path }) => kindOf(path) === kind)
    return { kind, count: ofKind.length, bytes: ofKind.reduce((sum, { bytes }) => sum + bytes, 0) }
  })
  const inBodies = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  return markdown(
    ['what', 'responses', 'KiB'],
    [
      ...rows
        .filter(({ count }) => count > 0)
        .toSorted((one, other) => other.bytes - one.bytes)
        .map(({ kind, count, bytes }) => [kind, String(count), kib(bytes)]),
      ['headers and encryption', String(bodies.length), kib(received - inBodies)],
      ['**sum**', '', kib(received)],
    ],
  )
}
