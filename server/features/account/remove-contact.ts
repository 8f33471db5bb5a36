import type { Kysely } from 'kysely'
import type { RefreshAnswer } from '#contract/session.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Call, type Caller, type Refusal, refuse } from '#server/calls/call.ts'
import { refuseForSeconds } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'
import { describeSession } from '#server/features/session/session-handlers.ts'
import { secondsToNextRemoval } from './change-limit.ts'
import { recordChange } from './contact-change.ts'
import { hasProof } from './contact-proof.ts'
import { judgeRemoval } from './contact-rule.ts'
import { endSessions, listContacts, lockApplicants, lockContactAndFindOwner } from './contact-rows.ts'
import { storeInSession } from './join-contact.ts'

/**
 * Removes a contact when this session has lately proven the other contact with a code (`proveContact`). A repeated call
 * succeeds, because the answer of the first call may have been lost.
 */
export async function removeContact(
  services: Services,
  call: Call<'removeContact'>,
): Promise<{ data: RefreshAnswer } | Refusal> {
  const removed = await retryOnConflict(() =>
    services.db.transaction().execute(trx => remove(trx, services, call)),
  )
  return 'refused' in removed ? removed : { data: await describeSession(services, removed) }
}

async function remove(
  trx: Kysely<Schema>,
  services: Services,
  { body: { kind }, caller, language, transport: { address } }: Call<'removeContact'>,
): Promise<Caller | Refusal> {
  const { applicantId } = caller
  const own = await listContacts(trx, applicantId)
  for (const contact of own) await lockContactAndFindOwner(trx, contact)
  const [locked] = await lockApplicants(trx, [applicantId])
  // Another call may have changed the contacts before the locks.
  const before = await listContacts(trx, applicantId)
  const verdict = judgeRemoval({
    isPresent: locked !== undefined,
    before,
    kind,
    hasProof: await hasProof(trx, caller, { except: kind }),
  })
  if (verdict === 'gone') return storeInSession(trx, caller, { kind, value: '' })
  if (verdict !== 'remove') return refuse(verdict)
  const seconds = kind === 'phone' ? await secondsToNextRemoval(trx, applicantId) : 0
  if (seconds > 0) return refuseForSeconds(seconds)
  await trx.deleteFrom('contact').where('applicant_id', '=', applicantId).where('kind', '=', kind).execute()
  await endSessions(trx, applicantId, { except: caller.sessionId })
  await recordChange(trx, services, { applicantId, kind, before, added: undefined, language, address })
  return storeInSession(trx, caller, { kind, value: '' })
}
