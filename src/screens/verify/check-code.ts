import { verifyAsync } from '@noble/ed25519'
import { fromBase64url, readClaim, readSignedClaim, type ReceiptVerdict } from '#contract/receipt-code.ts'

const keyBytes = 32

/**
 * Checks a receipt code with the public key. Uses a library because half of the browsers in use have no Ed25519. The
 * check is strict (RFC 8032), as on the server.
 */
export async function checkCode(text: string, publicKey: string): Promise<ReceiptVerdict> {
  const signed = readSignedClaim(text)
  const key = fromBase64url(publicKey)
  if (!signed || key?.length !== keyBytes) return { kind: 'unreadable' }
  const claim = new TextEncoder().encode(signed.claim)
  const isGenuine = await verifyAsync(signed.signature, claim, key, { zip215: false })
  return isGenuine ? readClaim(signed) : { kind: 'forged' }
}
