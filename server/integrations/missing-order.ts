import type * as z from 'zod/mini'
import type { GatewayResponse } from './gateway-request.ts'

/**
 * Returns whether a provider says that it does not know the order: status 404 with the body that its documents describe. A
 * proxy in front of the provider may answer 404 too, which says nothing about the order (D42).
 */
export function isMissingOrder(
  answer: Extract<GatewayResponse, { kind: 'answered' }>,
  refusal: z.ZodMiniType,
): boolean {
  return answer.status === 404 && refusal.safeParse(answer.body).success
}
