import { solveChallenge, type Challenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { bodyOf, type TestBrowser } from '#support/servers/api-client.ts'

/**
 * Solves a challenge of the server and returns the answer that the captcha of the portal would send. `work`: how many times
 * as hard as usual the challenge is.
 */
export async function solvePuzzle(browser: TestBrowser, work = 1): Promise<string> {
  const puzzle = bodyOf(await browser.call('captchaChallenge', { query: { work: String(work) } }))
  // The server sends the type of the library.
  const challenge = puzzle as unknown as Challenge
  return encodeAnswer({ challenge, solution: await solveChallenge({ challenge, deriveKey }) })
}

export function encodeAnswer(answer: object): string {
  return Buffer.from(JSON.stringify(answer)).toString('base64')
}
