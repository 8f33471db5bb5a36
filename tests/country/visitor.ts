import { type Challenge, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { encodeAnswer } from '#support/providers/puzzle.ts'
import { joinPortal, until } from '#support/servers/portal.ts'
import type { Cluster } from './cluster.ts'
import type { HttpClient } from './http-client.ts'

/** A phone number as digits with the country code, or an e-mail address. */
export type Contact = { msisdn: string; email: string }

/** `other-channel`: the budget is for contacts with an account, and the page names the other channel. */
export type CodeRequested =
  | { kind: 'sent' | 'other-channel' }
  | { kind: 'refused'; reason: string; seconds: number | undefined }

export const byPhone = (msisdn: string): Contact => ({ msisdn, email: '' })
export const byEmail = (email: string): Contact => ({ msisdn: '', email })

/** Requests a code, and solves up to three puzzles that the server demands. */
export async function requestCode(browser: HttpClient, contact: Contact): Promise<CodeRequested> {
  let captchaAnswer = ''
  for (let puzzles = 0; ; puzzles += 1) {
    const body = JSON.stringify({ ...contact, gRecaptchaResponse: captchaAnswer })
    const answer = await browser.send('POST', '/auth?lg=fr', { body })
    const { reason, data } = answer?.body ?? {}
    const { statusCode, work, message, seconds } = Object(data)
    if (answer?.status === 200 && statusCode === 0)
      return { kind: message === undefined ? 'sent' : 'other-channel' }
    if (work === undefined || puzzles === 3) {
      const status = answer?.status ?? 'no answer'
      return { kind: 'refused', reason: typeof reason === 'string' ? reason : `${status}`, seconds }
    }
    captchaAnswer = await solvePuzzle(browser, Number(work))
  }
}

async function solvePuzzle(browser: HttpClient, work: number): Promise<string> {
  const puzzle = await browser.send('GET', `/captcha/challenge?work=${work}`)
  const challenge = puzzle?.body as unknown as Challenge // the server sends the type of the library
  return encodeAnswer({ challenge, solution: await solveChallenge({ challenge, deriveKey }) })
}

export type SignedIn = { token: string; applicantId: string }

/** Undefined when the server refuses the code or does not answer. */
export async function enterCode(
  browser: HttpClient,
  contact: Contact,
  otp: string,
): Promise<SignedIn | undefined> {
  const answer = await browser.send('POST', '/login?lg=fr', { body: JSON.stringify({ ...contact, otp }) })
  const { token, applicantId } = Object(answer?.body['data'])
  return typeof token === 'string' ? { token, applicantId: String(applicantId) } : undefined
}

/** A person of a test, who signs in as the pages of the portal lead them. */
export type Person = { phone: string; email: string; hasAccount: boolean }

export type Visitors = {
  /** Waits for the code that was sent to a contact. */
  readCode(contact: Contact): Promise<string>
  /** Undefined: the server refused to send a code, or refused the code. */
  signIn(browser: HttpClient, contact: Contact): Promise<SignedIn | undefined>
  /**
   * By SMS; by e-mail when the server refuses the SMS, or when only numbers with an account get SMS and this person has no
   * account. Undefined: locked out.
   */
  signInAs(
    browser: HttpClient,
    person: Person,
  ): Promise<(SignedIn & { channel: 'sms' | 'email' }) | undefined>
}

export function createVisitors({ origin, dataDir, gateway }: Cluster): Visitors {
  const mailbox = joinPortal({ origin, dataDir })

  function readCode({ msisdn, email }: Contact): Promise<string> {
    if (email !== '') return mailbox.codeFor(email)
    return until(`a code for ${msisdn}`, async () => gateway.codes.get(msisdn))
  }

  async function signIn(browser: HttpClient, contact: Contact): Promise<SignedIn | undefined> {
    gateway.codes.delete(contact.msisdn)
    const requested = await requestCode(browser, contact)
    if (requested.kind === 'refused') return undefined
    return enterCode(browser, contact, await readCode(contact))
  }

  return {
    readCode,
    signIn,
    async signInAs(browser, { phone, email, hasAccount }) {
      gateway.codes.delete(phone)
      const requested = await requestCode(browser, byPhone(phone))
      // The page says that the SMS arrives only at a number with an account: its owner waits for it, others use e-mail.
      const isSent = requested.kind === 'sent' || (requested.kind === 'other-channel' && hasAccount)
      const contact = isSent ? byPhone(phone) : byEmail(email)
      const session = isSent
        ? await enterCode(browser, contact, await readCode(contact))
        : await signIn(browser, contact)
      return session && { ...session, channel: isSent ? 'sms' : 'email' }
    },
  }
}
