import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { failureWithCode, findRoute, readBody, type Route, sendAnswer } from './call.ts'
import { createApplications } from './applications.ts'
import { createAppointments } from './appointments.ts'
import { startCardGateway } from './card-gateway.ts'
import { dictionaryRoutes } from './dictionaries.ts'
import { createPayments } from './payments.ts'
import { createSessions } from './sessions.ts'

const root = '/api/v1'

export type ReferenceBackEnd = Awaited<ReturnType<typeof startReferenceBackEnd>>

/**
 * Imitates an existing back end that knows the specification and none of the additions of this repository (D5, D67).
 * Written from §3 to §8 of the specification: it imports neither the contract nor the server. Where the specification
 * describes no content, the answer is empty. All data is in memory.
 *
 * `handle` answers a request under `/api/v1`, for a test that serves the portal on the same origin.
 */
export async function startReferenceBackEnd() {
  const sessions = createSessions()
  const applications = createApplications(sessions.readToken)
  const gateway = await startCardGateway(orderId => payments.recordCardPayment(orderId))
  const { findOwn } = applications
  const payments = createPayments({ findOwn, cardPage: gateway.pageOf })
  const appointments = createAppointments({ findOwn })
  const routes = [
    ...sessions.routes,
    ...dictionaryRoutes,
    ...applications.routes,
    ...appointments.routes,
    ...payments.routes,
  ]
  const unknownCalls: string[] = []
  const codesRead = new Map<string, string>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://reference')
    const found = findRoute(routes, request.method ?? '', pathname.slice(root.length))
    if (!found) {
      unknownCalls.push(`${request.method} ${pathname}`)
      return sendAnswer(response, { status: 404, json: {} })
    }
    const { route, params } = found
    const applicantId = sessions.readToken(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (isRefused(route, applicantId)) return sendAnswer(response, { status: 401, json: {} })
    const body = await readBody(request)
    const unknownFields = Object.keys(body).filter(name => route.fields?.includes(name) !== true)
    if (unknownFields.length > 0) {
      unknownCalls.push(`${request.method} ${pathname} with ${unknownFields.join()}`)
      return sendAnswer(response, failureWithCode(400))
    }
    const cookie = sessions.readCookie(request.headers.cookie)
    return sendAnswer(response, await route.handler({ params, query, body, cookie, applicantId }))
  }

  return {
    handle,
    /** Refused calls: those that the specification does not have, and those with a field that it does not have. */
    unknownCalls,
    cardGateway: { origin: gateway.origin, received: gateway.received },
    countOpenSessions: sessions.countOpenSessions,
    newestPaymentCode: payments.newestCode,
    /** Returns a code that it has not returned before; throws when the contact has no new one. */
    async codeFor(contact: string): Promise<string> {
      const code = sessions.findCode(contact)
      if (code === undefined || codesRead.get(contact) === code) throw new Error(`No new code for ${contact}`)
      codesRead.set(contact, code)
      return code
    },
    /** Serves the back end on an origin of its own, for pages of `pageOrigin` only. Resolves to the function that stops it. */
    listen: (port: number, pageOrigin: string) => listen(handle, port, pageOrigin),
    close: gateway.close,
  }
}

function isRefused(route: Route, applicantId: number | undefined): boolean {
  return route.open !== true && applicantId === undefined
}

/** Allows two headers of a request and no others: the bearer token (§6), and the content type of JSON. */
async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  port: number,
  pageOrigin: string,
): Promise<() => void> {
  const server = http.createServer((request, response) => {
    response.setHeader('access-control-allow-origin', pageOrigin)
    response.setHeader('access-control-allow-credentials', 'true')
    response.setHeader('vary', 'origin')
    if (request.method !== 'OPTIONS') return void handle(request, response)
    response.setHeader('access-control-allow-methods', 'GET, POST')
    response.setHeader('access-control-allow-headers', 'authorization, content-type')
    response.writeHead(204).end()
  })
  await new Promise<void>(resolve => server.listen(port, 'localhost', resolve))
  return () => void server.close()
}
