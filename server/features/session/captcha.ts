import { randomInt } from 'node:crypto'
import { createChallenge, type Challenge, type VerifySolutionResult, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { apiRoot } from '#contract/codes.ts'
import { parseJson } from '#contract/parse-json.ts'
import type { CaptchaOffer } from '#contract/session.ts'
import { type CaptchaVerdict, verifyRecaptcha } from '#server/integrations/recaptcha.ts'
import type { Services } from '#server/calls/services.ts'
import { keyedHash, plainHash } from '#server/crypto/keyed-hash.ts'

/** One step of the puzzle. A usual puzzle has at least two steps, and at most three times `captchaWork`. */
const defaultWork = { algorithm: 'PBKDF2/SHA-256', cost: 1_000 }
const puzzleLifetimeSeconds = 600

/** How hard a puzzle can be, as a multiple of a usual one (D91). */
export const puzzleWorks = [1, 2, 4, 8] as const
export type PuzzleWork = (typeof puzzleWorks)[number]

/** Returns which captcha the client shows (D24). */
export function offerCaptcha({ config }: Services): CaptchaOffer {
  if (config.captcha === 'recaptcha') return config.recaptcha.siteKey
  if (config.captcha === 'off') return { provider: 'off' }
  return { provider: 'altcha', challengeUrl: `${apiRoot}/captcha/challenge` }
}

/**
 * Creates a puzzle for the browser, `work` times as hard as usual. The server stores nothing until the puzzle is solved.
 * The solution (`counter`) may be any number from one on. If it had a known minimum above one, an attacker would begin the
 * search at that minimum, with less work than a browser, which begins at zero.
 */
export async function makePuzzle({ config, secrets, clock }: Services, work: PuzzleWork): Promise<Challenge> {
  return createChallenge({
    algorithm: defaultWork.algorithm,
    cost: defaultWork.cost,
    counter: randomInt(1, 3 * config.captchaWork * work),
    deriveKey,
    // Not the library's `expiresAt`: the library would compare it with the machine's time, not with `clock`.
    data: { validUntilSeconds: Math.floor(clock.now().getTime() / 1_000) + puzzleLifetimeSeconds, work },
    ...signingKeys(secrets.captchaKey),
  })
}

/**
 * Checks an answer, which can be used only once. A puzzle that has expired or is easier than `work` counts as used. A
 * puzzle that is valid for too long counts as used too: the clock was ahead when it was made (D95), and its row in
 * `used_captcha` may be deleted before the puzzle expires.
 */
export async function verifyCaptcha(
  services: Services,
  answer: string,
  work: PuzzleWork,
): Promise<CaptchaVerdict> {
  const { config, logger } = services
  if (config.captcha === 'off') return 'right'
  if (config.captcha === 'altcha') return verifyPuzzle(services, answer, work)
  return verifyRecaptcha(config.recaptcha, answer, reason =>
    logger.warn(
      { reason },
      'reCAPTCHA did not check an answer. Applicants who need a captcha cannot request codes.',
    ),
  )
}

const Solved = z.object({
  challenge: z.object({
    parameters: z.looseObject({
      algorithm: z.literal(defaultWork.algorithm),
      nonce: z.string(),
      salt: z.string(),
      cost: z.literal(defaultWork.cost),
      keyLength: z.number().check(z.maximum(64)),
      keyPrefix: z.string(),
      data: z.strictObject({ validUntilSeconds: z.number(), work: z.number() }),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
})

async function verifyPuzzle(services: Services, answer: string, work: PuzzleWork): Promise<CaptchaVerdict> {
  const solved = readAnswer(answer)
  if (!solved) return 'wrong'
  const { challenge, solution } = solved
  const { verified } = await verify(services, { challenge, solution })
  if (!verified) return 'wrong'
  const { validUntilSeconds, work: done } = challenge.parameters.data
  const secondsLeft = validUntilSeconds - services.clock.now().getTime() / 1_000
  if (secondsLeft < 0 || secondsLeft > 2 * puzzleLifetimeSeconds || done < work) return 'used'
  return (await useOnce(services, challenge.signature)) ? 'right' : 'used'
}

function verify({ secrets }: Services, solved: z.output<typeof Solved>): Promise<VerifySolutionResult> {
  return verifySolution({ ...solved, deriveKey, ...signingKeys(secrets.captchaKey) })
}

/** Reads the client's answer: the base64 of the solved puzzle as JSON. Undefined when it has another shape. */
function readAnswer(answer: string): z.output<typeof Solved> | undefined {
  return Solved.safeParse(parseJson(Buffer.from(answer, 'base64').toString('utf8'))).data
}

/** Marks the puzzle as used. False when it was used before. */
async function useOnce({ db }: Services, signature: string): Promise<boolean> {
  const used = await db
    .insertInto('used_captcha')
    .values({
      answer_hash: plainHash(signature),
      expires_at: sql<Date>`now() + make_interval(secs => ${puzzleLifetimeSeconds})`,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('answer_hash')
    .executeTakeFirst()
  return used !== undefined
}

function signingKeys(key: Uint8Array): { hmacSignatureSecret: string; hmacKeySignatureSecret: string } {
  return { hmacSignatureSecret: keyedHash(key, 'puzzle'), hmacKeySignatureSecret: keyedHash(key, 'solution') }
}
