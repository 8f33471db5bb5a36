import type { TokenClaims } from '#contract/session.ts'
import { loadOnce } from '#device/load-with-retry.ts'

/** Loaded on demand, because the first chunk has no schemas. The call that returned the token has loaded this chunk. */
const loadClaims = loadOnce(() => import('./claims.ts'))

/** Undefined when the text is not an access token. @throws when the chunk cannot be loaded. */
export async function readToken(token: string): Promise<TokenClaims | undefined> {
  return (await loadClaims()).readClaims(token)
}
