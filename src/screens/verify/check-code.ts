import { verifyAsync } from '@noble/ed25519'
import { fromBase64url, readClaim, readSignedClaim, type ReceiptVerdict } from '#contract/receipt-code.ts'

const keyBytes = 32

/**
 * Checks a receipt code with the public keys, which have spaces between them. With a malformed key every code is `unreadable`.
 * Uses a library because the oldest supported browsers (docs/browsers.md) have no Ed25519. The check is strict (RFC 8032), as
 * on the server.
 */
export async function checkCode(text: string, publicKeys: string): Promise<ReceiptVerdict> {
  const signed = readSignedClaim(text)
  const keys = publicKeys.split(' ').map(fromBase64url)
  if (!signed || keys.some(key => key?.length !== keyBytes)) return { kind: 'unreadable' }
  const claim = new TextEncoder().encode(signed.claim)
  for (const key of keys)
    if (key && (await verifyAsync(signed.signature, claim, key, { zip215: false }))) return readClaim(signed)
  return { kind: 'forged' }
}
