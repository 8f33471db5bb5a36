import { createHash } from 'node:crypto'
import type { Route } from 'playwright-core'
import { formatAnswerMark, readAnswerNonce } from '#contract/answer-mark.ts'
import { answerMarkHeader, answerNonceHeader } from '#contract/codes.ts'

/** Answers an API request in the server's place: JSON with the mark that the portal expects of its server (D60). */
export function answerAsServer(route: Route, { status = 200, json }: ServerAnswer): Promise<void> {
  const body = JSON.stringify(json)
  const digest = createHash('sha256').update(body).digest('base64url')
  const nonce = readAnswerNonce(route.request().headers()[answerNonceHeader])
  const mark = formatAnswerMark({ release: 'test', epoch: 'test', digest, nonce })
  return route.fulfill({
    status,
    contentType: 'application/json; charset=utf-8',
    headers: { [answerMarkHeader]: mark },
    body,
  })
}

type ServerAnswer = { status?: number; json: unknown }
