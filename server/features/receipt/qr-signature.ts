import { sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import * as z from 'zod/mini'
import { ApplicationNumber } from '#contract/ids.ts'

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

const version = 'PP1'
const signatureBytes = 64
const longestWords = 80

const Year = z.int().check(z.minimum(1800), z.maximum(2999))
const Details = z.tuple([z.string(), Year, z.string(), z.nullable(z.iso.date())])

/**
 * The text of the QR code:
 *
 *     PP1.<application number>.<details>.<signature>
 *
 * - `PP1` names the format; another format gets another name.
 * - The application number stands in clear, so that any scanner shows it.
 * - Details are the JSON list `[name, year of birth, office, date or null]`, UTF-8, base64url.
 * - The signature is Ed25519 over all that stands before the last point, base64url.
 *
 * It is all ASCII, as scanners disagree about anything else. Name and office are each cut to
 * 80 bytes, which keeps the text within 412 characters: QR version 15 at error correction M.
 */
export function signReceipt(fields: ReceiptFields, privateKey: KeyObject): string {
  const applicationNumber = z.parse(ApplicationNumber, fields.applicationNumber)
  const details = z.parse(Details, [
    shorten(fields.name),
    fields.yearOfBirth,
    shorten(fields.office),
    fields.date,
  ])
  const claim = `${version}.${applicationNumber}.${toBase64url(JSON.stringify(details))}`
  return `${claim}.${sign(null, Buffer.from(claim), privateKey).toString('base64url')}`
}

/** Needs no network: the public key and the text are enough. */
export function verifyReceipt(text: string, publicKey: KeyObject): ReceiptVerdict {
  // Scanners that type like a keyboard end with a line break.
  const [prefix, applicationNumber, details = '', signature = '', ...more] = text.trim().split('.')
  const signed = fromBase64url(signature)
  if (prefix !== version || more.length > 0 || signed?.length !== signatureBytes)
    return { kind: 'unreadable' }
  const claim = Buffer.from(`${prefix}.${applicationNumber}.${details}`)
  if (!verify(null, claim, publicKey, signed)) return { kind: 'forged' }
  return readClaim(applicationNumber, fromBase64url(details))
}

function readClaim(applicationNumber: string | undefined, details: Buffer | undefined): ReceiptVerdict {
  const number = z.safeParse(ApplicationNumber, applicationNumber)
  const list = z.safeParse(Details, details && readJson(details.toString()))
  if (!number.success || !list.success) return { kind: 'unreadable' }
  const [name, yearOfBirth, office, date] = list.data
  return { kind: 'genuine', fields: { applicationNumber: number.data, name, yearOfBirth, office, date } }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toBase64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

// Node reads sloppy base64url too, which would let one signature be written in several ways.
function fromBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

function shorten(words: string): string {
  const characters = Array.from(words.normalize('NFC').trim())
  if (sizeInJson(characters.join('')) <= longestWords) return characters.join('')
  while (sizeInJson(`${characters.join('')}…`) > longestWords) characters.pop()
  return `${characters.join('').trimEnd()}…`
}

function sizeInJson(words: string): number {
  return Buffer.byteLength(JSON.stringify(words)) - '""'.length
}
