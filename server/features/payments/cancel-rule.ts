import type { CancelObstacle, MethodType } from '#contract/payment.ts'
import type { ProviderStatus } from '#server/integrations/payment-provider.ts'
import { payerSteps } from './payer-steps.ts'

/**
 * What the provider said about the order just now. `unsent`: the server sent no status query, because the provider never
 * got the order.
 */
export type QueriedStatus = ProviderStatus['kind'] | 'unsent'

type OrderToCancel = {
  method: MethodType
  /** No request for the order can still be running. */
  isSendOver: boolean
  /** The provider waits for a code of the payer, and has refused every code that it got. */
  lacksValidCode: boolean
}

/** Why an open order cannot be canceled (D47); undefined when it can take no money. */
export function cancelObstacle(
  queried: QueriedStatus,
  { method, isSendOver, lacksValidCode }: OrderToCancel,
): CancelObstacle | undefined {
  if (lacksValidCode || queried === 'unsent') return undefined
  // `missing` of a card order: the payer has not sent the form, so the gateway has not shown its page.
  if (queried === 'missing') return isSendOver || isCardMethod(method) ? undefined : 'just-sent'
  return obstacleAtProvider(queried)
}

/** Why the payer must wait for an order that its provider knows, or about which the provider gives no answer. */
export function obstacleAtProvider(queried: Exclude<QueriedStatus, 'unsent' | 'missing'>): CancelObstacle {
  return queried === 'unknown' ? 'no-answer' : 'in-progress'
}

function isCardMethod(method: MethodType): boolean {
  return payerSteps[method].step === 'waiting-for-card'
}
