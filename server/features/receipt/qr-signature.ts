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
 * Returns the text of the QR code:
 *
 *     PP1.<application number>.<details>.<signature>
 *
 * - The application number is readable text, so that any scanner shows it.
 * - Details are the JSON list `[name, year of birth, office, date or null]`, UTF-8, base64url.
 * - The signature is Ed25519 over the text before the last point, base64url.
 *
 * The text is ASCII, because scanners read other characters differently. Name and office are each cut to
 * 80 bytes, which limits the text to 403 characters. QR version 15 at error correction M has room for 412.
 * With the address before the text, the QR code is one or two versions larger.
 *
 * @throws when the application number, the year of birth or the date is not valid
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

/**
 * Returns the code as an address, so that a phone's camera opens the page that verifies it. The code is in the fragment,
 * which browsers do not send to the server.
 */
export function verifyAddress(origin: string, code: string): string {
  return `${origin}${verifyPath}#${code}`
}

/** Verifies a code or its address with the public key alone, without a network. */
export function verifyReceipt(text: string, publicKey: KeyObject): ReceiptVerdict {
  const signed = readSignedClaim(text)
  if (signed === undefined) return { kind: 'unreadable' }
  if (!verify(null, Buffer.from(signed.claim), publicKey, signed.signature)) return { kind: 'forged' }
  return readClaim(signed)
}

function toBase64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function shorten(text: string): string {
  const characters = Array.from(text.normalize('NFC').trim())
  if (sizeInJson(characters.join('')) <= maxTextBytes) return characters.join('')
  while (sizeInJson(`${characters.join('')}…`) > maxTextBytes) characters.pop()
  return `${characters.join('').trimEnd()}…`
}

function sizeInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - '""'.length
}
