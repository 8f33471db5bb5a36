import { queryOptions } from '@tanstack/react-query'
import type { Call } from '#api/client.ts'
import { ProblemError } from '#api/result.ts'
import type { CaptchaOffer } from '#contract/session.ts'
import type { Services } from '#portal/services.ts'

/** Which captcha the server wants; asked for only once it wants one. */
export function captchaOffer(call: Call) {
  return queryOptions({
    queryKey: ['captcha-offer'],
    queryFn: () => readOffer(call),
    retry: false,
    staleTime: Infinity,
  })
}

export function isOff(offer: CaptchaOffer | undefined): boolean {
  return typeof offer === 'object' && offer.provider === 'off'
}

/** The server has said that it wants none: a code that asks for one only means to wait. */
export function isCaptchaOff({ call, queryClient }: Pick<Services, 'call' | 'queryClient'>): boolean {
  return isOff(queryClient.getQueryData(captchaOffer(call).queryKey))
}

async function readOffer(call: Call): Promise<CaptchaOffer> {
  const result = await call('getSiteKey')
  if (!result.ok) throw new ProblemError(result.problem)
  return result.value.data
}
