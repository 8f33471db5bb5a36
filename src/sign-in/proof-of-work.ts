import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import * as z from 'zod/mini'

/** Longest time to solve a puzzle. Then the applicant can request another puzzle. */
const timeoutMs = 60_000

const Puzzle = z.object({
  parameters: z.looseObject({
    algorithm: z.string(),
    nonce: z.string(),
    salt: z.string(),
    cost: z.number(),
    keyLength: z.number(), // bytes
    keyPrefix: z.string(),
  }),
  signature: z.optional(z.string()),
})

/**
 * Solves the server's puzzle. Resolves to the answer in ALTCHA's format: base64 of a JSON object with the puzzle in
 * `challenge` and the solution in `solution`. WebCrypto hashes outside the main thread. Resolves to undefined when the
 * puzzle is not solved in time, or cannot be solved.
 */
export async function solvePuzzle(offered: unknown): Promise<string | undefined> {
  const read = z.safeParse(Puzzle, offered)
  if (!read.success || !globalThis.crypto?.subtle) return undefined
  const { parameters, signature } = read.data
  const puzzle = signature === undefined ? { parameters } : { parameters, signature }
  try {
    const solution = await solveChallenge({ challenge: puzzle, deriveKey, timeout: timeoutMs })
    return solution ? btoa(JSON.stringify({ challenge: puzzle, solution })) : undefined
  } catch {
    return undefined // the algorithm is unknown, or the prefix, the nonce or the salt is not valid
  }
}
