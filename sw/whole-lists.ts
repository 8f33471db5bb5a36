import { checkAnswerMark } from '#contract/answer-mark.ts'
import { parseJson } from '#contract/parse-json.ts'
import { isRecord } from './is-record.ts'

/**
 * Whether this is a list of the service, with the envelope of its answers. An answer with the mark of another body (D60)
 * was changed on the way; a server that speaks only the specification gives no marks.
 */
export async function isWholeList(response: Response): Promise<boolean> {
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  if (response.status !== 200 || response.redirected || !isJson) return false
  const bytes = await response.clone().arrayBuffer()
  if ((await checkAnswerMark(response.headers, bytes)) === 'invalid') return false
  const body = parseJson(new TextDecoder().decode(bytes))
  return isRecord(body) && 'data' in body
}
