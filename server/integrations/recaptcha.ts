import * as z from 'zod/mini'
import { requestGateway } from './gateway-request.ts'

/**
 * `used`: the applicant's answer was used before, or is too old. `unavailable`: the provider did not check the answer,
 * which is not the applicant's fault.
 */
export type CaptchaVerdict = 'right' | 'wrong' | 'used' | 'unavailable'

const timeoutMs = 5_000
/** Error codes of an answer that was not checked: this server's secret is wrong, or the provider has a fault. */
const uncheckedCodes = ['missing-input-secret', 'invalid-input-secret', 'internal-error']

const Verified = z.object({ success: z.boolean(), 'error-codes': z.optional(z.array(z.string())) })

/** Verifies an applicant's answer with the provider of reCAPTCHA. `fail` gets the reason of `unavailable`. */
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
  // The provider is slow or unreachable, or its response has another form.
  if (verified === undefined) {
    fail(response.kind === 'answered' ? `status ${response.status}` : response.reason)
    return 'unavailable'
  }
  if (verified.success) return 'right'
  const codes = verified['error-codes'] ?? []
  const uncheckedCode = codes.find(code => uncheckedCodes.includes(code))
  if (uncheckedCode !== undefined) {
    fail(uncheckedCode)
    return 'unavailable'
  }
  return codes.includes('timeout-or-duplicate') ? 'used' : 'wrong'
}
