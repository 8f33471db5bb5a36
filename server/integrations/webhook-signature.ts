import { createHmac } from 'node:crypto'
import type { WebhookRequest } from './payment-provider.ts'
import { isEqualConstantTime } from '#server/crypto/constant-time-equal.ts'

/**
 * Whether the webhook has no header `x-signature` that signs its body. Without an agreed secret the header is not
 * checked, and the result is false.
 */
export function isForgedWebhook(
  { body, headers }: WebhookRequest,
  { algorithm, secret }: { algorithm: 'sha1' | 'sha256'; secret: string },
): boolean {
  if (secret === '') return false
  const signature = createHmac(algorithm, secret).update(body).digest('hex')
  return !isEqualConstantTime(String(headers['x-signature'] ?? ''), signature)
}
