import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * One call under `/api/v1`. `params`: the parts of the path in braces. `cookie`: the value of the refresh cookie.
 * `applicantId`: whose bearer token it is; undefined without a valid one.
 */
export type Call = {
  params: Record<string, string>
  query: URLSearchParams
  body: Record<string, unknown>
  cookie: string | undefined
  applicantId: number | undefined
}

/** What the back end sends: JSON, a PDF, or nothing where the specification describes no content. */
export type Answer = { status?: number; json?: unknown; pdf?: Buffer; setCookie?: string }

type Handler = (call: Call) => Answer | Promise<Answer>

/** `open`: needs no bearer token. `fields`: the fields of the body in the specification; none by default. */
export type Route = {
  method: 'GET' | 'POST'
  path: string
  open?: true
  fields?: readonly string[]
  handler: Handler
}

export const notFound: Answer = { status: 404, json: {} }

/** In the specification: "list in data", or "response data". */
export const inData = (data: unknown): Answer => ({ json: { data } })
/** In the specification: "list in data.data". */
export const inDataData = (data: unknown): Answer => ({ json: { data: { data } } })

/** A failure with the `statusCode` by which the specification distinguishes failures (§8). */
export const failureWithCode = (statusCode: number, message?: string): Answer => ({
  status: 400,
  json: message === undefined ? { statusCode } : { statusCode, message },
})

/**
 * Finds the route of a path such as `/applications/{id}/data`. The first match wins: list a path with fixed parts before one
 * with braces.
 */
export function findRoute(routes: readonly Route[], method: string, path: string) {
  for (const route of routes) {
    const params = route.method === method ? matchPath(route.path, path) : undefined
    if (params) return { route, params }
  }
  return undefined
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const names = pattern.split('/')
  const parts = path.split('/')
  if (names.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const part = decodeURIComponent(parts[index] ?? '')
    if (name.startsWith('{')) params[name.slice(1, -1)] = part
    else if (name !== part) return undefined
  }
  return params
}

export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString()
  if (text === '') return {}
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text))
  return JSON.parse(text)
}

export function sendAnswer(response: ServerResponse, { status = 200, json, pdf, setCookie }: Answer): void {
  if (setCookie !== undefined) response.setHeader('set-cookie', setCookie)
  if (pdf) response.writeHead(status, { 'content-type': 'application/pdf' }).end(pdf)
  else if (json === undefined) response.writeHead(status).end()
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
