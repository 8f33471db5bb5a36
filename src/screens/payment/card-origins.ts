import type { ServerInfo } from '#contract/session.ts'
import type { CardOrigins } from './card-addresses.ts'

/**
 * Returns the allowed origins of a card payment that returns to `returnUrl`. The gateways are those that the server
 * lists; without a list, as from a server that speaks only the specification, those that the build names (D67).
 */
export function cardOrigins(info: ServerInfo | undefined, returnUrl: string): CardOrigins {
  const api = import.meta.env['VITE_API_ORIGIN']
  return {
    gateways: info?.cardGateways ?? originsIn(import.meta.env['VITE_CARD_ORIGINS']),
    own: [new URL(returnUrl).origin, ...originsIn(api)],
  }
}

/**
 * Whether the server knows the field `method` of a card payment, which the specification does not have. True while nothing
 * is known of the server.
 */
export function knowsCardMethod(info: ServerInfo | undefined): boolean {
  return info === undefined || info.cardGateways !== undefined
}

/** Reads addresses with commas between; ignores what is no address. */
function originsIn(text: string | undefined): string[] {
  return (text ?? '').split(',').flatMap(each => {
    const address = each.trim()
    try {
      return address === '' ? [] : [new URL(address).origin]
    } catch {
      return [] // the portal's own server refuses to start with such a setting
    }
  })
}
