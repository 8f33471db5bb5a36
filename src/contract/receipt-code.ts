import * as z from 'zod/mini'
import { ApplicationNumber } from './ids.ts'
import { parseJson } from './parse-json.ts'

/** The signed content of the code on a receipt. */
export type ReceiptFields = {
  applicationNumber: string
  name: string
  yearOfBirth: number
  office: string
  /** Day of the appointment, `YYYY-MM-DD`; null in the general queue. */
  date: string | null
}

export type ReceiptVerdict =
  | { kind: 'genuine'; fields: ReceiptFields }
  | { kind: 'forged' }
  | { kind: 'unreadable' }

/** The first part of every code; a new format needs a new version. */
export const receiptCodeVersion = 'PP1'
/** Page that checks a code. The code is in the URL fragment, so the browser does not send it to the server (F7). */
export const verifyPath = '/verify'

const signatureBytes = 64
const Year = z.int().check(z.minimum(1800), z.maximum(2999))
/** Name, year of birth, office and date. A code contains them as JSON in base64url. */
export const ReceiptDetails = z.tuple([z.string(), Year, z.string(), z.nullable(z.iso.date())])

/** The parts of a code. The caller must verify the signature before it trusts the claim. */
export type SignedClaim = { claim: string; signature: Uint8Array<ArrayBuffer> }

/**
 * Reads a scanned or typed code, alone or in the URL of a receipt. Undefined when the text has no code.
 *
 *     PP1.<application number>.<details>.<signature>
 */
export function readSignedClaim(text: string): SignedClaim | undefined {
  const [version, number, details, signature = '', ...more] = codeIn(text).split('.')
  const bytes = fromBase64url(signature)
  if (version !== receiptCodeVersion || more.length > 0 || bytes?.length !== signatureBytes) return undefined
  return { claim: `${version}.${number}.${details}`, signature: bytes }
}

/** Reads a claim whose signature the caller has verified: `genuine` when its content is readable. */
export function readClaim({ claim }: SignedClaim): ReceiptVerdict {
  const [, applicationNumber, details = ''] = claim.split('.')
  const number = z.safeParse(ApplicationNumber, applicationNumber)
  const bytes = fromBase64url(details)
  const list = z.safeParse(ReceiptDetails, bytes && parseJson(new TextDecoder().decode(bytes)))
  if (!number.success || !list.success) return { kind: 'unreadable' }
  const [name, yearOfBirth, office, date] = list.data
  return { kind: 'genuine', fields: { applicationNumber: number.data, name, yearOfBirth, office, date } }
}

/** Decodes canonical base64url; undefined for any other text, so that no second text has the same bytes. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const canonical = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  if (canonical !== text) return undefined
  return Uint8Array.from(binary, character => character.charCodeAt(0))
}

// A scanner that acts as a keyboard ends the code with a line break.
function codeIn(text: string): string {
  const [, code] = /^https?:\/\/[^\s#]+#(\S*)$/.exec(text.trim()) ?? []
  return code ?? text.trim()
}
