import type { Language } from '#contract/codes.ts'
import { ApplicantId } from '#contract/ids.ts'
import type { LoginAnswer, RefreshAnswer } from '#contract/session.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import { type Call, type Caller, type Handlers, type Refusal, refuse } from '#server/calls/call.ts'
import { createAllowances, refuseForSeconds, type TakeAllowance } from '#server/calls/rate-limit.ts'
import type { DormantQuestion } from '#contract/dormant.ts'
import type { Services } from '#server/calls/services.ts'
import { issueAccessToken, readCaller } from './access-token.ts'
import { findOrCreateApplicant } from './applicant.ts'
import { describeServer } from './describe-server.ts'
import { makePuzzle, offerCaptcha, puzzleWorks, verifyCaptcha } from './captcha.ts'
import { countWrongCode, findDemand } from './captcha-demand.ts'
import { type Demand } from './code-demand-rule.ts'
import { budgetOf } from './code-budget.ts'
import { type CodeRequest, limitOfContact } from './send-limits.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { type Contact, isPremiumContact, readContact } from './contact.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import { checkCode, countUsedCode, isKnownBrowser, storeOpenedToken, useCode } from './check-code.ts'
import { type CheckedCode, noValidCode, type RefusedCode, repeatSeconds } from './code-check-rule.ts'
import { dormantTicket, findDormant, openDormantQuestion } from './dormant.ts'
import { recordEvent } from './security-events.ts'
import { sendCode } from './send-code.ts'
import { makeOtherContact } from './other-contact.ts'
import {
  endSession,
  endSessionOf,
  findSessionOf,
  isOfAccountToDelete,
  openSession,
  type OpenSession,
  refreshSession,
  reopenSession,
} from './refresh.ts'

type SessionCalls =
  | 'auth'
  | 'getSiteKey'
  | 'captchaChallenge'
  | 'login'
  | 'refreshToken'
  | 'logout'
  | 'version'

/**
 * How often one session may be refreshed, because each time stores a token (D69). A page refreshes at its start and after half
 * of the life of its token: after 1 s with the shortest life that the settings allow. The burst is for many tabs.
 */
const refreshRate = { burst: 120, perMinute: 60 }

export function sessionHandlers(services: Services): Pick<Handlers, SessionCalls> {
  const takeRefresh = createAllowances(services.clock, refreshRate)
  return {
    auth: call => sendCodeTo(services, call),
    getSiteKey: async () => ({ data: offerCaptcha(services) }),
    captchaChallenge: call => offerPuzzle(services, call),
    login: call => signIn(services, call),
    refreshToken: call => answerRefresh(services, call, takeRefresh),
    logout: call => signOut(services, call),
    version: async () => ({ data: describeServer(services) }),
  }
}

/**
 * Sends a code to the contact of the body, or by the other channel. The answer does not depend on whether the contact is
 * known, so it does not reveal this (D20). The one exception: when other requests have just used the last codes of the budget,
 * only an owner in a known browser is refused (`answerOfBudget`). `onlyTo`: as in `CodeRequest`.
 */
export async function sendCodeTo(
  services: Services,
  { body, language, transport }: Pick<Call<'auth'> | Call<'addContact'>, 'body' | 'language' | 'transport'>,
  onlyTo?: CodeRequest['onlyTo'],
): Promise<{ data: { statusCode: 0; message?: string } } | Refusal> {
  const contact = readContact(body)
  if (!contact) return refuse(isPremiumContact(body) ? 'number-premium' : 'contact-refused')
  const { address, browser } = transport
  const otherChannel = 'otherChannel' in body && body.otherChannel
  const request = { contact, browser, address, otherChannel, onlyTo }
  const limit = await limitOfContact(services.db, services, request)
  // A captcha does not lift this limit, so the applicant need not solve one.
  if (limit.refused) return limit.refused
  const demand = await findDemand(services, request, limit)
  if (demand.isSpent && !request.otherChannel) return refuse(budgetOf(services.config, contact).spentProblem)
  const refused = await askForCaptcha(services, demand, body.gRecaptchaResponse ?? '')
  if (refused) return refused
  const isCaptchaSolved = demand.work > 0 || services.config.captcha === 'off'
  const sent = await sendCode(services, {
    ...request,
    language,
    isCaptchaSolved,
    isKnownBrowser: limit.isKnownBrowser,
  })
  if ('refused' in sent) return sent
  // Says that the rest of the budget is for contacts with an account, so this contact may get no code.
  const message = translateTo(language)(`code.reserved.${contact.kind}`)
  return { data: { statusCode: 0, ...(sent.isReserved && { message }) } }
}

async function askForCaptcha(
  services: Services,
  { work, problem }: Demand,
  answer: string,
): Promise<Refusal | undefined> {
  if (work === 0 || services.config.captcha === 'off') return undefined
  if (answer === '') return refuse(problem, { data: { work } })
  const unsolved = captchaProblems[await verifyCaptcha(services, answer, work)]
  return unsolved && refuse(unsolved, { data: { work } })
}

const captchaProblems = {
  right: undefined,
  wrong: 'captcha-wrong',
  used: 'captcha-used',
  unavailable: 'unavailable',
} as const

async function offerPuzzle(
  services: Services,
  { query }: Call<'captchaChallenge'>,
): Promise<Record<string, unknown> | Refusal> {
  if (services.config.captcha !== 'altcha') return refuse('not-found')
  const work = puzzleWorks.find(each => String(each) === query.work) ?? 1
  return { ...(await makePuzzle(services, work)) }
}

/**
 * Checks a typed code by `checkCode`, which counts the try and does not use the code up. Records the answer
 * `code-wrong`.
 */
export async function checkTypedCode(
  services: Services,
  { contact, transport, code }: { contact: Contact; transport: Call<'login'>['transport']; code: string },
): Promise<CheckedCode> {
  const checked = await checkCode(services, { contact, browser: transport.browser, code })
  if (checked.kind === 'refused' && checked.problem === 'code-wrong')
    await recordWrongCode(services, { contact, address: transport.address })
  return checked
}

/**
 * Counts the wrong code for its network, which needs a captcha after too many, and records it for the owner of the
 * contact.
 */
async function recordWrongCode(
  services: Services,
  { contact, address }: { contact: Contact; address: string },
): Promise<void> {
  await countWrongCode(services, address)
  const { kind, value } = contact
  await recordEvent(services.db, services, { kind: 'code-wrong', subject: { kind, value }, address })
}

async function signIn(
  services: Services,
  { body, language, transport }: Call<'login'>,
): Promise<{ data: LoginAnswer } | Refusal> {
  const contact = readContact(body)
  if (!contact) return refuse('contact-refused')
  const checked = await checkTypedCode(services, { contact, transport, code: body.otp })
  if (checked.kind === 'refused') return refuseCode(checked)
  // A code that has added or proven a contact in a session opens no other session.
  if (checked.kind === 'joined') return refuseCode(noValidCode)
  if (checked.kind === 'dormant') return askDormant(services, checked)
  const { sharedDevice } = transport
  const session = await retryOnConflict(() =>
    checked.kind === 'used'
      ? reopenSession(services, { openedTokenHash: checked.openedTokenHash, withinSeconds: repeatSeconds })
      : signInNow(services, {
          codeId: checked.codeId,
          contact,
          language,
          sharedDevice,
          address: transport.address,
        }),
  )
  if (!session) return refuseCode(noValidCode)
  return 'refused' in session ? session : sendNewSession(services, session, transport)
}

/** The code alone does not open the account (D122). The question says nothing about the account. */
function askDormant(
  services: Services,
  { codeId, proven }: { codeId: number; proven: Contact['kind'] },
): Refusal {
  const data: DormantQuestion = { ticket: dormantTicket(services, codeId), proven }
  return refuse('account-dormant', { data })
}

/**
 * Answers a sign-in, and ends the session that was open in this browser before, unless it is this session: a repeated
 * sign-in may send the cookie of its own lost answer.
 */
export async function sendNewSession(
  services: Services,
  session: OpenSession,
  transport: Call<'login'>['transport'],
): Promise<{ data: LoginAnswer }> {
  if (transport.refreshToken)
    await endSessionOf(services.db, transport.refreshToken, { except: session.caller.sessionId })
  return {
    data: { ...(await sendSession(services, session, transport)), applicantId: applicantIdOf(session) },
  }
}

/**
 * Uses the code and opens a session, or the question of a dormant account. Undefined when another call used the code
 * first or the code has expired.
 */
async function signInNow(
  services: Services,
  entry: { codeId: number; contact: Contact; language: Language; sharedDevice: boolean; address: string },
): Promise<OpenSession | Refusal | undefined> {
  const { codeId, contact, language, address } = entry
  const opened = await services.db.transaction().execute(async trx => {
    const isKnown = await isKnownBrowser(trx, codeId)
    const used = await useCode(trx, entry)
    if (!used) return undefined
    // The code verifies the contact it was sent to, which may differ from the typed one.
    const verified = makeOtherContact(contact, used.otherContact) ?? contact
    const dormant = await findDormant(trx, verified)
    if (dormant !== undefined) {
      await openDormantQuestion(trx, services, { codeId, applicantId: dormant })
      return { outcome: askDormant(services, { codeId, proven: verified.kind }), used }
    }
    const session = await openSession(
      trx,
      services,
      await findOrCreateApplicant(trx, services.secrets, { contact: verified, language }),
    )
    await storeOpenedToken(trx, { codeId, refreshToken: session.refreshToken })
    const { applicantId } = session.caller
    const kind = isKnown ? 'signed-in' : 'signed-in-new-device'
    await recordEvent(trx, services, { kind, subject: { applicantId }, address })
    return { outcome: session, used }
  })
  if (opened) countUsedCode(opened.used)
  return opened?.outcome
}

export function refuseCode(refused: RefusedCode): Refusal {
  const { kind: _, problem, ...data } = refused
  return refuse(problem, { data })
}

/** Refuses a code that is not `right`, for the reason of the check. A used code is refused as if there were none. */
export function refuseUnusableCode(checked: CheckedCode): Refusal {
  return refuseCode(checked.kind === 'refused' ? checked : noValidCode)
}

async function answerRefresh(
  services: Services,
  { transport }: Call<'refreshToken'>,
  takeRefresh: TakeAllowance,
): Promise<{ data: RefreshAnswer } | Refusal> {
  const { refreshToken, address } = transport
  const sessionId = refreshToken ? await findSessionOf(services.db, refreshToken) : undefined
  if (refreshToken === undefined || sessionId === undefined) return refuseRefresh(transport)
  const seconds = takeRefresh(sessionId)
  if (seconds > 0) return refuseForSeconds(seconds)
  const session = await refreshSession(services, { token: refreshToken, address })
  if (session) return { data: await sendSession(services, session, transport) }
  // The cookie stays, because the answer may be lost: then the portal asks again at its next start (D112).
  if (await isOfAccountToDelete(services.db, refreshToken)) return refuse('account-deleted')
  return refuseRefresh(transport)
}

function refuseRefresh(transport: Call<'refreshToken'>['transport']): Refusal {
  transport.setRefreshToken(undefined)
  return refuse('not-signed-in')
}

/**
 * Succeeds also without a valid cookie or token, so that the applicant can log out. The browser may have lost the
 * cookie, or have one of an earlier session, so the access token names a session too. On a shared device the browser
 * clears all its site data.
 */
async function signOut(services: Services, { transport }: Call<'logout'>): Promise<Record<string, never>> {
  const { address } = transport
  for (const subject of await endSessionsOfCall(services, transport))
    await recordEvent(services.db, services, { kind: 'signed-out', subject, address })
  transport.setRefreshToken(undefined)
  if (transport.sharedDevice) transport.clearSiteData()
  return {}
}

/** Returns the owner of each session that has ended: that of the cookie, and that of the token if it is another one. */
async function endSessionsOfCall(
  services: Services,
  { refreshToken, accessToken }: Call<'logout'>['transport'],
): Promise<{ applicantId: string }[]> {
  const ofCookie = refreshToken ? await endSessionOf(services.db, refreshToken) : undefined
  const caller = accessToken ? await readCaller(services, accessToken) : undefined
  const ofToken = caller && (await endSession(services.db, caller)) ? caller : undefined
  return [ofCookie, ofToken].flatMap(ended => (ended ? [{ applicantId: ended.applicantId }] : []))
}

async function sendSession(
  services: Services,
  session: OpenSession,
  transport: Call<'login'>['transport'],
): Promise<RefreshAnswer> {
  transport.setRefreshToken(session.refreshToken)
  return describeSession(services, session.caller)
}

/** Returns a new access token of the session, and the keys of the applicant's drafts. */
export async function describeSession(services: Services, caller: Caller): Promise<RefreshAnswer> {
  const { draftKey, previousDraftKey } = services.secrets
  return {
    token: await issueAccessToken(services, caller),
    draftKey: keyedHash(draftKey, caller.applicantId),
    previousDraftKey: previousDraftKey && keyedHash(previousDraftKey, caller.applicantId),
  }
}

function applicantIdOf(session: OpenSession): ApplicantId {
  return ApplicantId.parse(session.caller.applicantId)
}
