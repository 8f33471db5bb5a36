import type { CaptchaOffer } from '#contract/session.ts'
import type { Services } from '#app/services.ts'

export function isOff(offer: CaptchaOffer | undefined): boolean {
  return typeof offer === 'object' && offer.provider === 'off'
}

/** Whether the server offers no captcha: a status code that demands one then only means to wait. */
export function isCaptchaOff({ captchaOffer }: Pick<Services, 'captchaOffer'>): boolean {
  return isOff(captchaOffer.current().value)
}
