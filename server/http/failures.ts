import { randomInt } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languages, defaultLanguage, type Language } from '#contract/codes.ts'
import { waitInOneUnit } from '#contract/wait-in-one-unit.ts'
import { problems, type ProblemCode } from '#contract/problems.ts'
import { isDatabaseOutage } from '#server/database/outage.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { Logger } from '#server/monitoring/logger.ts'
import type { Refusal } from '#server/calls/call.ts'
import { incidentOf } from './request-id.ts'

/** HTTP status and JSON body of a refusal (D11). */
export type FailureAnswer = { status: number; body: Record<string, unknown> }

/** Converts a refusal; its message is in `language` unless the refusal brings one. */
export function toFailure(refusal: Refusal, language: Language): FailureAnswer {
  const { http, statusCode } = problems[refusal.refused]
  const more = typeof refusal.data === 'object' && refusal.data !== null ? refusal.data : {}
  return {
    status: http,
    body: {
      statusCode,
      message: refusal.message ?? messageOf(refusal, language),
      reason: refusal.refused,
      ...(refusal.errors ? { errors: refusal.errors } : {}),
      data: { ...more, statusCode },
    },
  }
}

/** For `too-many-requests` the message says how long the limit lasts, as the portal does (D125). */
function messageOf(refusal: Refusal, language: Language): string {
  const seconds = secondsToWait(refusal)
  return seconds === undefined
    ? translateTo(language)(`problem.${refusal.refused}`)
    : translateTo(language)('problem.too-many-requests.wait', waitInOneUnit(seconds))
}

/** How long the limit of `too-many-requests` lasts; undefined for other refusals, also for those that name a wait. */
function secondsToWait(refusal: Refusal): number | undefined {
  return refusal.refused === 'too-many-requests' ? secondsIn(refusal) : undefined
}

/** The wait that a refusal names; undefined when it names none. */
export function secondsIn({ data }: Refusal): number | undefined {
  if (typeof data !== 'object' || data === null || !('seconds' in data)) return undefined
  return typeof data.seconds === 'number' ? data.seconds : undefined
}

/** The code of an unexpected failure; undefined for other refusals. */
export function incidentIn({ data }: Refusal): string | undefined {
  if (typeof data !== 'object' || data === null || !('incident' in data)) return undefined
  return typeof data.incident === 'string' ? data.incident : undefined
}

/**
 * Tells every client, also one that does not read the body, when to try again. After `too-many-requests` that is when the
 * limit allows the next call (D97). After a 503 it is a random time, so that callers who were refused together do not come
 * back together (D92).
 */
export function addRetryAfter(reply: FastifyReply, refusal: Refusal): void {
  if (problems[refusal.refused].http === 503) reply.header('retry-after', randomInt(5, 16))
  const seconds = secondsToWait(refusal)
  if (seconds !== undefined) reply.header('retry-after', seconds)
}

/** Sends a refusal in the language of the request. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, body } = toFailure(refusal, languageOf(request))
  addRetryAfter(reply, refusal)
  // A proxy may cache a 404 without this header.
  reply.header('cache-control', 'no-store')
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

/** Language of the query parameter `lg`; French by default. */
export function languageOf(request: FastifyRequest): Language {
  const query: unknown = request.query
  const requested = typeof query === 'object' && query !== null && 'lg' in query ? query.lg : undefined
  return languages.find(language => language === requested) ?? defaultLanguage
}

/** Answers every error with the refusal of `refusalFor`. */
export function answerFailures(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendRefusal(request, reply, refusalFor(error, request, logger)),
  )
}

/**
 * Returns the refusal that an error becomes: for an error with a 4xx status the one that fits it, and `unavailable` when the
 * database cannot serve a request now. Any other error is a bug: logs it once and returns nothing but the code of the incident,
 * which the applicant can quote (ERR30).
 */
export function refusalFor(error: FastifyError, request: FastifyRequest, logger: Logger): Refusal {
  const known = frameworkProblem(error)
  if (known) return { refused: known }
  const fields = { err: error, route: request.routeOptions.url, request: request.id }
  if (isDatabaseOutage(error)) {
    logger.warn(
      fields,
      'The database could not serve a request. The caller got 503 and tries again. If this continues, see docs/runbook.md.',
    )
    return { refused: 'unavailable' }
  }
  const incident = incidentOf(request.id)
  logger.error(
    { ...fields, incident },
    'A request failed with an unexpected error: this is a bug. The caller got 500.',
  )
  return { refused: 'unexpected', data: { incident } }
}

function frameworkProblem(error: FastifyError): ProblemCode | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return 'too-large'
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'unsupported-type'
    default:
      return byStatus(error.statusCode ?? 500)
  }
}

/** The file server answers 403 for the path of a folder; a visitor gets 404. */
function byStatus(status: number): ProblemCode | undefined {
  if (status === 403 || status === 404) return 'not-found'
  return status >= 400 && status < 500 ? 'invalid' : undefined
}
