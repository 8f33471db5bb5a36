import type { CaptchaOffer } from '#contract/session.ts'
import type { Services } from '#app/services.ts'

export function isOff(offer: CaptchaOffer | undefined): boolean {
  return typeof offer === 'object' && offer.provider === 'off'
}

/**
 * Whether the server has said that it offers no captcha. Then a status code that demands a captcha only asks the
 * applicant to wait.
 */
export function isCaptchaOff({ captchaOffer }: Pick<Services, 'captchaOffer'>): boolean {
  return isOff(captchaOffer.current().value)
}
