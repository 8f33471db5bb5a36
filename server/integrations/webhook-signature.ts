import { createHmac } from 'node:crypto'
import type { WebhookRequest } from './payment-provider.ts'
import { isEqualConstantTime } from '#server/crypto/constant-time-equal.ts'

/** Whether a call-back lacks the signature of its body in `x-signature`; without a secret none is agreed upon. */
export function isForgedWebhook(
  { body, headers }: WebhookRequest,
  { algorithm, secret }: { algorithm: 'sha1' | 'sha256'; secret: string },
): boolean {
  if (secret === '') return false
  const signature = createHmac(algorithm, secret).update(body).digest('hex')
  return !isEqualConstantTime(String(headers['x-signature'] ?? ''), signature)
}
