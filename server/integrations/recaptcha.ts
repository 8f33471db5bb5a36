import * as z from 'zod/mini'

export type CaptchaVerdict = 'right' | 'wrong' | 'used' | 'unavailable'

const timeoutMs = 5_000

const Verified = z.object({ success: z.boolean(), 'error-codes': z.optional(z.array(z.string())) })

/** Verifies an answer with the captcha provider; reCAPTCHA, hCaptcha and Turnstile have the same API. */
export async function verifyRecaptcha(
  settings: { secret: string; verifyUrl: string },
  answer: string,
): Promise<CaptchaVerdict> {
  try {
    const response = await fetch(settings.verifyUrl, {
      method: 'POST',
      body: new URLSearchParams({ secret: settings.secret, response: answer }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const verified = Verified.safeParse(await response.json())
    if (!verified.success) return 'unavailable'
    if (verified.data.success) return 'right'
    return verified.data['error-codes']?.includes('timeout-or-duplicate') === true ? 'used' : 'wrong'
  } catch {
    // The provider is slow, unreachable or answers no JSON. This is not the applicant's fault.
    return 'unavailable'
  }
}
