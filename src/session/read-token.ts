import type { TokenClaims } from '#contract/session.ts'
import { loadOnce } from '#device/load-with-retry.ts'

/** Loaded on demand: the schemas are not in the first chunk, and the code that brought the token has other schemas. */
const loadClaims = loadOnce(() => import('./claims.ts'))

/** Undefined when the text is not an access token. @throws when the chunk cannot be loaded. */
export async function readToken(token: string): Promise<TokenClaims | undefined> {
  return (await loadClaims()).readClaims(token)
}
