import * as z from 'zod/mini'
import { requestGateway } from './gateway-request.ts'

/** `used`: the answer was used before, or is too old. `unavailable`: the provider gave no valid answer. */
export type CaptchaVerdict = 'right' | 'wrong' | 'used' | 'unavailable'

const timeoutMs = 5_000

const Verified = z.object({ success: z.boolean(), 'error-codes': z.optional(z.array(z.string())) })

/**
 * Verifies an answer with the captcha provider; reCAPTCHA, hCaptcha and Turnstile have the same API. `fail` gets the reason
 * when the provider gives no valid answer.
 */
export async function verifyRecaptcha(
  settings: { secret: string; verifyUrl: string },
  answer: string,
  fail: (reason: string) => void,
): Promise<CaptchaVerdict> {
  const response = await requestGateway(settings.verifyUrl, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ secret: settings.secret, response: answer }).toString(),
    timeoutMs,
  })
  const verified = response.kind === 'answered' ? Verified.safeParse(response.body).data : undefined
  // The provider is slow, unreachable or answers something else. This is not the applicant's fault.
  if (verified === undefined) {
    fail(response.kind === 'answered' ? `status ${response.status}` : response.reason)
    return 'unavailable'
  }
  if (verified.success) return 'right'
  return verified['error-codes']?.includes('timeout-or-duplicate') === true ? 'used' : 'wrong'
}
