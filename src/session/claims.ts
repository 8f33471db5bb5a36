import * as z from 'zod/mini'
import { TokenClaims } from '#contract/session.ts'

/** Reads the claims of an access token (SES03); undefined when the text is not a token. Only the server verifies tokens. */
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

/** Reads cached claims; undefined when an older release cached them without a field that is required now. */
export function readCachedClaims(record: unknown): TokenClaims | undefined {
  const claims = z.safeParse(TokenClaims, record)
  return claims.success ? claims.data : undefined
}
