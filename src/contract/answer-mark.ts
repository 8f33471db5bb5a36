import { answerMarkHeader } from './codes.ts'

const nonceBytes = 8
const noncePattern = /^[\w-]{11}$/

/**
 * `digest`: SHA-256 of the body before any content encoding. `epoch`: changes when the database is restored (D62). `nonce`:
 * of the request; undefined when the request has none, for example because an older release sent it.
 */
export type AnswerMark = { release: string; epoch: string; digest: string; nonce?: string | undefined }

export function formatAnswerMark({ release, epoch, digest, nonce }: AnswerMark): string {
  return `${release} ${epoch} ${digest}${nonce === undefined ? '' : ` ${nonce}`}`
}

export function createAnswerNonce(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(nonceBytes)))
}

/** Undefined for a text that is no nonce. */
export function readAnswerNonce(text: unknown): string | undefined {
  return typeof text === 'string' && noncePattern.test(text) ? text : undefined
}

/** Returns undefined for a text that is no mark. */
export function readAnswerMark(text: string): AnswerMark | undefined {
  const [release, epoch, digest, nonce, ...rest] = text.split(' ')
  return release && epoch && digest && rest.length === 0 ? { release, epoch, digest, nonce } : undefined
}

/**
 * `valid`: the service sent this very body, and for this request if the request has a nonce. `unbound`: the service sent this
 * body, but its mark does not say for which request.
 */
export type MarkCheck = 'valid' | 'unbound' | 'invalid' | 'missing'

/** Compares the mark in these headers with the body as it arrived, and with the nonce of the request. */
export async function checkAnswerMark(
  headers: Headers,
  body: ArrayBuffer,
  nonce?: string,
): Promise<MarkCheck> {
  const header = headers.get(answerMarkHeader)
  if (header === null) return 'missing'
  const mark = readAnswerMark(header)
  if (mark?.digest !== (await digestOf(body))) return 'invalid'
  if (mark.nonce === nonce) return 'valid'
  return mark.nonce === undefined ? 'unbound' : 'invalid'
}

/** Returns the ETag of a file with this digest. With it a request gets 304 in place of a file that the phone already has. */
export function etagOfDigest(digest: string): string {
  return `"${digest}"`
}

/** Returns the SHA-256 of these bytes in base64url. */
export async function digestOf(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')
}
