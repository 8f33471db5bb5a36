import type { Transaction } from 'kysely'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Contact } from '#server/features/session/contact.ts'
import { findDormant } from '#server/features/session/dormant.ts'
import { recordChange } from './contact-change.ts'
import {
  deleteContact,
  endSessions,
  listContacts,
  lockApplicants,
  lockContactAndFindOwner,
} from './contact-rows.ts'

/**
 * Removes a contact from a dormant account, because the holder of the contact starts a new account (D122). The old
 * account stays, with its other contact if it has one; that contact gets a message with the code to undo this. Returns
 * false when the account no longer has the contact, or is no longer dormant for it.
 */
export async function leaveAccount(
  trx: Transaction<Schema>,
  services: Services,
  { applicantId, contact, address }: { applicantId: string; contact: Contact; address: string },
): Promise<boolean> {
  if ((await lockContactAndFindOwner(trx, contact)) !== applicantId) return false
  await lockApplicants(trx, [applicantId])
  if ((await findDormant(trx, contact)) === undefined) return false
  const before = await listContacts(trx, applicantId)
  await deleteContact(trx, contact, applicantId)
  await endSessions(trx, applicantId)
  const { language } = await trx
    .selectFrom('applicant')
    .select('language')
    .where('id', '=', applicantId)
    .executeTakeFirstOrThrow()
  await recordChange(trx, services, {
    applicantId,
    kind: contact.kind,
    before,
    added: undefined,
    language,
    address,
    isReleased: true,
  })
  return true
}
