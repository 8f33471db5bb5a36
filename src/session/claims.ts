import * as z from 'zod/mini'
import { TokenClaims } from '#contract/session.ts'

/** Reads an access token's claims (SES03). The client only reads them; the server alone believes tokens. */
export function readClaims(token: string): TokenClaims | undefined {
  const [, payload = ''] = token.split('.')
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, character => character.codePointAt(0) ?? 0)
    const claims = z.safeParse(TokenClaims, JSON.parse(new TextDecoder().decode(bytes)))
    return claims.success ? claims.data : undefined
  } catch {
    return undefined // not a token
  }
}

/** Claims as this device kept them: a record of an older release may lack what they hold now. */
export function readCachedClaims(record: unknown): TokenClaims | undefined {
  const claims = z.safeParse(TokenClaims, record)
  return claims.success ? claims.data : undefined
}
