import type { Transaction } from 'kysely'
import { otherKind } from '#contract/account.ts'
import {
  type DormantAnswer,
  dormantTriesPerDay,
  type DormantTries,
  dormantTriesPerPeriod,
  dormantPeriodDays,
} from '#contract/dormant.ts'
import type { LoginAnswer } from '#contract/session.ts'
import { type Call, type Refusal, refuse } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { clearCount, countUpWithinLimits, dormantTriesPrefix } from '#server/database/usage-counts.ts'
import { findApplicant, findOrCreateApplicant, recordProof } from '#server/features/session/applicant.ts'
import { countWrongCode } from '#server/features/session/captcha-demand.ts'
import {
  countUsedCode,
  storeOpenedToken,
  type UsedCode,
  useCode,
} from '#server/features/session/check-code.ts'
import { noValidCode, repeatSeconds } from '#server/features/session/code-check-rule.ts'
import { type Contact, readContact } from '#server/features/session/contact.ts'
import { findDormantQuestion, type StoredQuestion } from '#server/features/session/dormant.ts'
import { makeOtherContact } from '#server/features/session/other-contact.ts'
import { openSession, type OpenSession, reopenSession } from '#server/features/session/refresh.ts'
import { recordEvent } from '#server/features/session/security-events.ts'
import {
  checkTypedCode,
  refuseCode,
  refuseUnusableCode,
  sendCodeTo,
  sendNewSession,
} from '#server/features/session/session-handlers.ts'
import { hasMatchingApplication } from './match-application.ts'
import { leaveAccount } from './leave-account.ts'

type AnswerCall = Call<'answerDormant'>

/**
 * Sends a code to the typed contact if it is the other contact of the account. The answer is the same if it is not
 * (D122).
 */
export async function askDormantCode(
  services: Services,
  call: Call<'askDormantCode'>,
): Promise<{ data: { statusCode: 0; message?: string } } | Refusal> {
  const { body, transport } = call
  const question = await findDormantQuestion(services.db, { ticket: body.ticket, browser: transport.browser })
  if (!question || question.openedTokenHash !== null) return refuseCode(noValidCode)
  const { applicantId, contact } = question
  return sendCodeTo(services, call, { applicantId, kind: otherKind(contact.kind) })
}

/**
 * Opens a session: in the dormant account after the right answer to its question, or in a new account for a person who
 * starts again (D122). A call after that, with whichever answer, gets the same session, as a repeated sign-in does
 * (D21).
 */
export async function answerDormant(
  services: Services,
  call: AnswerCall,
): Promise<{ data: LoginAnswer } | Refusal> {
  const { body, transport } = call
  const asked = { ticket: body.ticket, browser: transport.browser }
  const question = await findDormantQuestion(services.db, asked)
  if (!question) return refuseCode(noValidCode)
  if (question.openedTokenHash !== null) return repeatAnswer(services, call, question.openedTokenHash)
  const checked = await checkAnswer(services, call, question)
  if ('refused' in checked) return checked
  const { outcome, used } = await retryOnConflict(() =>
    services.db.transaction().execute(async trx => {
      // Answers at the same time wait here, and find the session of the first one.
      const locked = await findDormantQuestion(trx, asked, { lock: true })
      if (!locked) return { outcome: undefined, used: undefined }
      if (locked.openedTokenHash !== null) return { outcome: locked.openedTokenHash, used: undefined }
      return openAnswered(trx, services, { call, question: locked, otherCodeId: checked.otherCodeId })
    }),
  )
  if (used) countUsedCode(used)
  if (outcome === undefined) return refuseCode(noValidCode)
  if (body.answer.kind !== 'start-again') await clearCount(services.db, triesKey(services, question))
  return typeof outcome === 'string'
    ? repeatAnswer(services, call, outcome)
    : sendNewSession(services, outcome, transport)
}

async function repeatAnswer(services: Services, { transport }: AnswerCall, openedTokenHash: string) {
  const session = await reopenSession(services, { openedTokenHash, withinSeconds: repeatSeconds })
  return session ? sendNewSession(services, session, transport) : refuseCode(noValidCode)
}

/** `otherCodeId`: the right code to another contact; the transaction checks whose contact it is. */
async function checkAnswer(
  services: Services,
  { body: { answer }, transport }: AnswerCall,
  question: StoredQuestion,
): Promise<{ otherCodeId?: number } | Refusal> {
  switch (answer.kind) {
    case 'start-again':
      return {}
    case 'application':
      return (await checkApplication(services, { answer, question, address: transport.address })) ?? {}
    case 'contact': {
      const contact = readContact(answer)
      if (!contact) return refuse('contact-refused')
      const checked = await checkTypedCode(services, { contact, transport, code: answer.otp })
      if (checked.kind === 'right') return { otherCodeId: checked.codeId }
      return refuseUnusableCode(checked)
    }
  }
}

const tryLimits = {
  perDay: dormantTriesPerDay,
  perPeriod: dormantTriesPerPeriod,
  periodDays: dormantPeriodDays,
}

/**
 * Each contact of the account has its own tries: the new holder of a number cannot use up the tries of the owner's e-mail
 * address (D69).
 */
function triesKey({ secrets }: Services, { applicantId, contact }: StoredQuestion): string {
  return `${dormantTriesPrefix}${keyedHash(secrets.codeKey, 'dormant tries', applicantId, contact.kind)}`
}

/**
 * Undefined when the answer is right. Counts the try before the comparison, in one statement, so that answers at the same
 * time share the tries.
 */
async function checkApplication(
  services: Services,
  checking: {
    answer: Extract<DormantAnswer, { kind: 'application' }>
    question: StoredQuestion
    address: string
  },
): Promise<Refusal | undefined> {
  const { answer, question, address } = checking
  const { applicantId } = question
  const tries = await countUpWithinLimits(services.db, triesKey(services, question), tryLimits)
  const data: DormantTries = {
    triesLeft: tries.left,
    ...(tries.left === 0 && { spent: tries.isPeriodSpent ? 'period' : 'day' }),
  }
  if (!tries.isCounted) return refuse('answer-wrong', { data })
  if (await hasMatchingApplication(services, applicantId, answer)) return undefined
  await countWrongCode(services, address)
  await recordEvent(services.db, services, { kind: 'answer-wrong', subject: { applicantId }, address })
  return refuse('answer-wrong', { data })
}

type Answered = { call: AnswerCall; question: StoredQuestion; otherCodeId: number | undefined }

/**
 * `outcome`: undefined when the contact is no longer one of the account, when the other code is no longer valid or was not
 * sent to the account's other contact, or when a person starts again although the account is no longer dormant.
 */
async function openAnswered(
  trx: Transaction<Schema>,
  services: Services,
  { call, question, otherCodeId }: Answered,
): Promise<{ outcome: OpenSession | undefined; used: UsedCode | undefined }> {
  const {
    language,
    transport: { address },
  } = call
  const { codeId, applicantId, contact } = question
  let used: UsedCode | undefined
  if (call.body.answer.kind === 'start-again') {
    if (!(await leaveAccount(trx, services, { applicantId, contact, address })))
      return { outcome: undefined, used }
  } else if ((await findApplicant(trx, contact)) !== applicantId) return { outcome: undefined, used }
  if (call.body.answer.kind === 'contact') {
    const proven = await verifyOtherCode(trx, call, { question, codeId: otherCodeId })
    used = proven.used
    if (!proven.isRight) return { outcome: undefined, used }
  }
  const session = await openSession(
    trx,
    services,
    await findOrCreateApplicant(trx, services.secrets, { contact, language }),
  )
  await storeOpenedToken(trx, { codeId, refreshToken: session.refreshToken })
  const subject = { applicantId: session.caller.applicantId }
  if (call.body.answer.kind === 'start-again')
    await recordEvent(trx, services, { kind: 'started-again', subject, address })
  await recordEvent(trx, services, { kind: 'signed-in-new-device', subject, address })
  return { outcome: session, used }
}

/** Uses the code. `isRight`: it has verified the other contact of the account. */
async function verifyOtherCode(
  trx: Transaction<Schema>,
  { body: { answer }, transport: { sharedDevice } }: AnswerCall,
  { question, codeId }: { question: StoredQuestion; codeId: number | undefined },
): Promise<{ isRight: boolean; used: UsedCode | undefined }> {
  const typed = answer.kind === 'contact' ? readContact(answer) : undefined
  const used = codeId === undefined ? undefined : await useCode(trx, { codeId, sharedDevice })
  if (typed === undefined || used === undefined) return { isRight: false, used }
  // The code verifies the contact it was sent to. If it was sent by the other channel, that is not the typed one.
  const verified: Contact = makeOtherContact(typed, used.otherContact) ?? typed
  const isOther = verified.kind === otherKind(question.contact.kind)
  const isRight = isOther && (await findApplicant(trx, verified)) === question.applicantId
  // Not before: the contact may be that of another dormant account.
  if (isRight) await recordProof(trx, verified)
  return { isRight, used }
}
