import type { CaptchaOffer } from '#contract/session.ts'
import type { Services } from '#app/services.ts'

export function isOff(offer: CaptchaOffer | undefined): boolean {
  return typeof offer === 'object' && offer.provider === 'off'
}

/** The server has said that it wants none: a code that asks for one only means to wait. */
export function isCaptchaOff({ captchaOffer }: Pick<Services, 'captchaOffer'>): boolean {
  return isOff(captchaOffer.current().value)
}
