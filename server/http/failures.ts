import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languages, defaultLanguage, type Language } from '#contract/codes.ts'
import { problems, type ProblemCode } from '#contract/problems.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { Logger } from '#server/monitoring/logger.ts'
import type { Refusal } from '#server/calls/call.ts'

/** A refusal as it travels (D11). */
export type FailureAnswer = { status: number; body: Record<string, unknown> }

export function toFailure(refusal: Refusal, language: Language): FailureAnswer {
  const { http, statusCode } = problems[refusal.refused]
  const more = typeof refusal.data === 'object' && refusal.data !== null ? refusal.data : {}
  return {
    status: http,
    body: {
      statusCode,
      message: refusal.message ?? translateTo(language)(`problem.${refusal.refused}`),
      reason: refusal.refused,
      ...(refusal.errors ? { errors: refusal.errors } : {}),
      data: { ...more, statusCode },
    },
  }
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, body } = toFailure(refusal, languageOf(request))
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

export function languageOf(request: FastifyRequest): Language {
  const query: unknown = request.query
  const asked = typeof query === 'object' && query !== null && 'lg' in query ? query.lg : undefined
  return languages.find(language => language === asked) ?? defaultLanguage
}

/** What the framework refuses becomes a refusal of ours; anything else is a bug: logged once, told as nothing. */
export function answerFailures(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = frameworkProblem(error)
    if (known) return sendRefusal(request, reply, { refused: known })
    logger.error({ err: error, route: request.routeOptions.url, request: request.id }, 'bug in a request')
    return sendRefusal(request, reply, { refused: 'unexpected' })
  })
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

/** A folder that is asked for as a file is forbidden to the file server, and nothing to the visitor. */
function byStatus(status: number): ProblemCode | undefined {
  if (status === 403 || status === 404) return 'not-found'
  return status >= 400 && status < 500 ? 'invalid' : undefined
}
