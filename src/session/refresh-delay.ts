import type { TokenClaims } from '#contract/session.ts'

/** Milliseconds until the refresh is due: half of exp minus iat, counted from receipt (SES04). */
export function refreshDelayMs(claims: Pick<TokenClaims, 'exp' | 'iat'>): number {
  return Math.max(1_000, ((claims.exp - claims.iat) * 1_000) / 2)
}
