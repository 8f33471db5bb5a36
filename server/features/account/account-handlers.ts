import type { Transaction } from 'kysely'
import type { RefreshAnswer } from '#contract/session.ts'
import { shortenContact } from '#contract/short-contact.ts'
import { type Call, type Caller, type Handlers, type Refusal, refuse } from '#server/calls/call.ts'
import { createRateLimit } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { noValidCode } from '#server/features/session/code-check-rule.ts'
import { readContact } from '#server/features/session/contact.ts'
import {
  checkTypedCode,
  describeSession,
  refuseCode,
  refuseUnusableCode,
  sendCodeTo,
} from '#server/features/session/session-handlers.ts'
import { listAccountEvents, recordEvent } from '#server/features/session/security-events.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { endAccountSession, listSessions } from './account-sessions.ts'
import { answerDormant, askDormantCode } from './answer-dormant.ts'
import { askProofCode, hasProof, proveContact } from './contact-proof.ts'
import { endSessions, listContacts } from './contact-rows.ts'
import { deleteAccount, keepAccount } from './delete-account.ts'
import { joinContact, readJoined } from './join-contact.ts'
import { readMyData, writeMyData } from './my-data.ts'
import { renderMyData } from './my-data-page.ts'
import { removeContact } from './remove-contact.ts'
import { undoContactChange } from './undo-change.ts'

type AccountCalls =
  | 'addContact'
  | 'confirmContact'
  | 'readAccount'
  | 'askProofCode'
  | 'proveContact'
  | 'removeContact'
  | 'undoContactChange'
  | 'endSession'
  | 'endOtherSessions'
  | 'downloadData'
  | 'deleteAccount'
  | 'keepAccount'
  | 'askDormantCode'
  | 'answerDormant'

/**
 * Few, because each download reads many tables in one transaction: four in a row, which are the page and the JSON file in both
 * languages, then one a minute (D98).
 */
const downloadRate = { burst: 4, perMinute: 1 }

/**
 * What applicants do with their account: its contacts (D70), its sessions (NAV31), the download of its data (D98), its
 * deletion, which `keepAccount` cancels (D112), and the question of a dormant account (D122).
 */
export function accountHandlers(services: Services): Pick<Handlers, AccountCalls> {
  const { db } = services
  const limitDownloads = createRateLimit(services.clock, downloadRate)
  return {
    async addContact(call) {
      if (!(await hasProof(db, call.caller))) return refuse('proof-needed')
      return sendCodeTo(services, call)
    },
    confirmContact: call => addVerifiedContact(services, call),
    async readAccount({ caller }) {
      const contacts = await listContacts(db, caller.applicantId)
      const sessions = await listSessions(services, caller)
      const events = await listAccountEvents(services, caller.applicantId, contacts)
      return { data: { contacts: contacts.map(shortenContact), sessions, events } }
    },
    askProofCode: call => askProofCode(services, call),
    proveContact: call => proveContact(services, call),
    removeContact: call => removeContact(services, call),
    undoContactChange: call => undoContactChange(services, call),
    deleteAccount: call => deleteAccount(services, call),
    keepAccount: call => keepAccount(services, call),
    askDormantCode: call => askDormantCode(services, call),
    answerDormant: call => answerDormant(services, call),
    async endSession({ trx, caller, params: { id }, transport: { address } }) {
      const outcome = isUuid(id) ? await endAccountSession(trx, caller, id) : undefined
      if (outcome === undefined) return refuse('not-found')
      if (outcome === 'ended') await recordSessionEnd(trx, services, { caller, address })
      return {}
    },
    async endOtherSessions({ trx, caller, transport: { address } }) {
      const count = await endSessions(trx, caller.applicantId, { except: caller.sessionId })
      if (count > 0) await recordSessionEnd(trx, services, { caller, address })
      return {}
    },
    downloadData: call => limitDownloads(call.caller.applicantId, () => downloadData(services, call)),
  }
}

/** Called only when a session has ended: a call that changes nothing must leave no row, however often it comes. */
function recordSessionEnd(
  trx: Transaction<Schema>,
  services: Services,
  { caller: { applicantId }, address }: { caller: Caller; address: string },
): Promise<void> {
  return recordEvent(trx, services, { kind: 'session-ended', subject: { applicantId }, address })
}

async function downloadData(
  services: Services,
  { caller, query, transport: { address } }: Call<'downloadData'>,
): Promise<{ data: { name: string; type: string; text: string } }> {
  const { applicantId } = caller
  const data = await readMyData(services, applicantId)
  await recordEvent(services.db, services, { kind: 'data-downloaded', subject: { applicantId }, address })
  const name = `${translateTo(query.lg)('myData.fileName')}.${query.format}`
  if (query.format === 'html')
    return { data: { name, type: 'text/html; charset=utf-8', text: await renderMyData(data, query.lg) } }
  return { data: { name, type: 'application/json', text: await writeMyData(data) } }
}

/** Adds the contact of the other kind; the new token names both. A refusal does not reveal who owns the contact. */
async function addVerifiedContact(
  services: Services,
  { body, transport, caller, language }: Call<'confirmContact'>,
): Promise<{ data: RefreshAnswer } | Refusal> {
  const contact = readContact(body)
  if (!contact) return refuse('contact-refused')
  const checked = await checkTypedCode(services, { contact, transport, code: body.otp })
  if (checked.kind === 'joined' && checked.sessionId === caller.sessionId) {
    const repeated = await readJoined(services.db, { caller, contact })
    return repeated ? { data: await describeSession(services, repeated) } : refuseCode(noValidCode)
  }
  if (checked.kind !== 'right') return refuseUnusableCode(checked)
  const { sharedDevice, address } = transport
  const outcome = await joinContact(services, {
    contact,
    caller,
    language,
    sharedDevice,
    address,
    codeId: checked.codeId,
  })
  return outcome.kind === 'refused'
    ? refuse(outcome.problem)
    : { data: await describeSession(services, outcome.caller) }
}
