import { digestOf, formatAnswerMark } from '#contract/answer-mark.ts'
import { answerMarkHeader } from '#contract/codes.ts'

/** The answer of a server that is too busy to begin a call and asks for the next try after 12 s (D92). */
export async function busyAnswer() {
  const text = JSON.stringify({ statusCode: 503, reason: 'busy', message: 'busy', data: { statusCode: 503 } })
  const digest = await digestOf(new TextEncoder().encode(text))
  const mark = formatAnswerMark({ release: 'test', epoch: 'test', digest })
  return { status: 503, text, headers: { 'retry-after': '12', [answerMarkHeader]: mark } }
}
