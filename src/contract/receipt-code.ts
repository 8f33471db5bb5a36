import * as z from 'zod/mini'
import { ApplicationNumber } from './ids.ts'

/** What the code on a receipt vouches for. */
export type ReceiptFields = {
  applicationNumber: string
  name: string
  yearOfBirth: number
  office: string
  /** `YYYY-MM-DD`; none in the general queue. */
  date: string | null
}

export type ReceiptVerdict =
  | { kind: 'genuine'; fields: ReceiptFields }
  | { kind: 'forged' }
  | { kind: 'unreadable' }

/** Names the format; another format gets another name. */
export const receiptCodeVersion = 'PP1'
/** The page that checks a code, which follows it after `#` and so never leaves the phone (F7). */
export const verifyPath = '/verify'

const signatureBytes = 64
const Year = z.int().check(z.minimum(1800), z.maximum(2999))
export const ReceiptDetails = z.tuple([z.string(), Year, z.string(), z.nullable(z.iso.date())])

/** A code taken apart: what was signed, and by what. It says nothing until somebody has held the two together. */
export type SignedClaim = { claim: string; signature: Uint8Array<ArrayBuffer> }

/**
 * Reads a code as it was scanned or typed, alone or in the address that a receipt bears; undefined where it is none.
 *
 *     PP1.<application number>.<details>.<signature>
 */
export function readSignedClaim(text: string): SignedClaim | undefined {
  const [version, number, details, signature = '', ...more] = codeIn(text).split('.')
  const bytes = fromBase64url(signature)
  if (version !== receiptCodeVersion || more.length > 0 || bytes?.length !== signatureBytes) return undefined
  return { claim: `${version}.${number}.${details}`, signature: bytes }
}

/** What a claim says that was found to be signed. */
export function readClaim({ claim }: SignedClaim): ReceiptVerdict {
  const [, applicationNumber, details = ''] = claim.split('.')
  const number = z.safeParse(ApplicationNumber, applicationNumber)
  const bytes = fromBase64url(details)
  const list = z.safeParse(ReceiptDetails, bytes && readJson(new TextDecoder().decode(bytes)))
  if (!number.success || !list.success) return { kind: 'unreadable' }
  const [name, yearOfBirth, office, date] = list.data
  return { kind: 'genuine', fields: { applicationNumber: number.data, name, yearOfBirth, office, date } }
}

/** The bytes of a base64url text that is written in its one way: sloppy ones would let one signature be several. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const again = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  if (again !== text) return undefined
  return Uint8Array.from(binary, character => character.charCodeAt(0))
}

// Scanners that type like a keyboard end with a line break.
function codeIn(text: string): string {
  const [, code] = /^https?:\/\/[^\s#]+#(\S*)$/.exec(text.trim()) ?? []
  return code ?? text.trim()
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
