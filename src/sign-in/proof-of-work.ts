import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import * as z from 'zod/mini'

/** Nobody waits longer than this for a puzzle: a new one is offered instead. */
const timeoutMs = 60_000

const Puzzle = z.object({
  parameters: z.looseObject({
    algorithm: z.string(),
    nonce: z.string(),
    salt: z.string(),
    cost: z.number(),
    keyLength: z.number(),
    keyPrefix: z.string(),
  }),
  signature: z.optional(z.string()),
})

/**
 * Works out the server's puzzle and gives the answer as ALTCHA writes it: the base64 of puzzle and solution in
 * JSON. The hashing itself happens outside the page's thread; undefined when the puzzle cannot be solved here.
 */
export async function solvePuzzle(offered: unknown): Promise<string | undefined> {
  const puzzle = z.safeParse(Puzzle, offered)
  if (!puzzle.success || !globalThis.crypto?.subtle) return undefined
  const { parameters, signature } = puzzle.data
  const challenge = signature === undefined ? { parameters } : { parameters, signature }
  try {
    const solution = await solveChallenge({ challenge, deriveKey, timeout: timeoutMs })
    return solution ? btoa(JSON.stringify({ challenge, solution })) : undefined
  } catch {
    return undefined // an algorithm or a prefix that this library does not know
  }
}
