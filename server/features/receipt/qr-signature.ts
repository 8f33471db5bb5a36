import { sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import * as z from 'zod/mini'
import { ApplicationNumber } from '#contract/ids.ts'
import {
  readClaim,
  readSignedClaim,
  receiptCodeVersion,
  ReceiptDetails,
  type ReceiptFields,
  type ReceiptVerdict,
  verifyPath,
} from '#contract/receipt-code.ts'

export type { ReceiptFields, ReceiptVerdict } from '#contract/receipt-code.ts'

const maxTextBytes = 80

/**
 * The text of the QR code:
 *
 *     PP1.<application number>.<details>.<signature>
 *
 * - The application number stands in clear, so that any scanner shows it.
 * - Details are the JSON list `[name, year of birth, office, date or null]`, UTF-8, base64url.
 * - The signature is Ed25519 over all that stands before the last point, base64url.
 *
 * It is all ASCII, as scanners disagree about anything else. Name and office are each cut to
 * 80 bytes, which keeps the text within 412 characters: QR version 15 at error correction M,
 * and a version or two more with the address before it.
 */
export function signReceipt(fields: ReceiptFields, privateKey: KeyObject): string {
  const applicationNumber = z.parse(ApplicationNumber, fields.applicationNumber)
  const details = z.parse(ReceiptDetails, [
    shorten(fields.name),
    fields.yearOfBirth,
    shorten(fields.office),
    fields.date,
  ])
  const claim = `${receiptCodeVersion}.${applicationNumber}.${toBase64url(JSON.stringify(details))}`
  return `${claim}.${sign(null, Buffer.from(claim), privateKey).toString('base64url')}`
}

/** The code as an address: a phone's own camera opens the page that checks it. The server is not told the code. */
export function verifyAddress(origin: string, code: string): string {
  return `${origin}${verifyPath}#${code}`
}

/** Needs no network: the public key and the text, a code or its address, are enough. */
export function verifyReceipt(text: string, publicKey: KeyObject): ReceiptVerdict {
  const signed = readSignedClaim(text)
  if (signed === undefined) return { kind: 'unreadable' }
  if (!verify(null, Buffer.from(signed.claim), publicKey, signed.signature)) return { kind: 'forged' }
  return readClaim(signed)
}

function toBase64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function shorten(words: string): string {
  const characters = Array.from(words.normalize('NFC').trim())
  if (sizeInJson(characters.join('')) <= maxTextBytes) return characters.join('')
  while (sizeInJson(`${characters.join('')}…`) > maxTextBytes) characters.pop()
  return `${characters.join('').trimEnd()}…`
}

function sizeInJson(words: string): number {
  return Buffer.byteLength(JSON.stringify(words)) - '""'.length
}
