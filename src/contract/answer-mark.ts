/**
 * The mark of an answer (D60): proves that the service sent it, and sent the whole body. Nothing between the phone and
 * the service gives it by chance: it contains the digest of the body.
 */
export const answerMarkHeader = 'x-answer-mark'

/** In the `features` of `/version`: this server marks every answer under `/api/v1`. */
export const answerMarkFeature = 'answerMark'

/** `digest`: SHA-256 of the body before any content encoding. `epoch`: changes when the database is restored (D62). */
export type AnswerMark = { release: string; epoch: string; digest: string }

export function formatAnswerMark({ release, epoch, digest }: AnswerMark): string {
  return `${release} ${epoch} ${digest}`
}

/** Returns undefined for a text that is no mark. */
export function readAnswerMark(text: string): AnswerMark | undefined {
  const [release, epoch, digest, ...rest] = text.split(' ')
  return release && epoch && digest && rest.length === 0 ? { release, epoch, digest } : undefined
}

/** `valid`: the service sent this very body. */
export type MarkCheck = 'valid' | 'invalid' | 'missing'

/** Compares the mark in these headers with the body as it arrived. */
export async function checkAnswerMark(headers: Headers, body: ArrayBuffer): Promise<MarkCheck> {
  const header = headers.get(answerMarkHeader)
  if (header === null) return 'missing'
  return readAnswerMark(header)?.digest === (await digestOf(body)) ? 'valid' : 'invalid'
}

/** Returns the ETag of a file with this digest: 304 in place of a file that the phone already has. */
export function etagOfDigest(digest: string): string {
  return `"${digest}"`
}

/** Returns the SHA-256 of these bytes in base64url. */
export async function digestOf(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return btoa(String.fromCharCode(...hash))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')
}
