import { createHmac } from 'node:crypto'
import type { CallBack } from './payment-provider.ts'
import { isSameText } from './same-text.ts'

/** Whether a call-back lacks the signature of its body in `x-signature`; without a secret none is agreed upon. */
export function isForged(
  { body, headers }: CallBack,
  { algorithm, secret }: { algorithm: 'sha1' | 'sha256'; secret: string },
): boolean {
  if (secret === '') return false
  const signature = createHmac(algorithm, secret).update(body).digest('hex')
  return !isSameText(String(headers['x-signature'] ?? ''), signature)
}
