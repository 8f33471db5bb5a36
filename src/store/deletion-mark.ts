import type { ApplicantKey } from './applicant-key.ts'
import type { Database, ResponseRow } from './database.ts'
import { encryptJson } from './encryption.ts'
import { responseContextOf } from './responses.ts'

/**
 * Returns the row that says on this device that the applicant has deleted an application. A form that another tab still has
 * open must not write its answers again (LST13). @throws StorageFault when `writer.key` is undefined
 */
export async function createDeletionMark(writer: ApplicantKey, applicationId: string): Promise<ResponseRow> {
  const { applicantId } = writer
  const name = nameOf(applicationId)
  const sealed = await encryptJson(writer.key, true, responseContextOf(writer, name))
  return { applicantId, name, sealed, deletionId: crypto.randomUUID() }
}

/**
 * Deletes the rows of `seen` about the application (`isAbout`), responses and files as well as records of this device,
 * and writes the mark. Call it inside a transaction.
 */
export async function putDeletionMark({ seen }: Database, applicationId: string, mark: ResponseRow) {
  const ofApplicant = seen.where({ applicantId: mark.applicantId })
  await ofApplicant.filter(({ name }) => isAbout(name, applicationId)).delete()
  await seen.put(mark)
}

/** The id of the last deletion of the application; empty when this device has no mark of it. */
export async function readDeletionId(
  { seen }: Database,
  { applicantId }: ApplicantKey,
  applicationId: string,
): Promise<string> {
  const mark = await seen.get([applicantId, nameOf(applicationId)])
  return mark ? (mark.deletionId ?? 'of an older release') : ''
}

/**
 * Removes the mark, if there is one, at the first write of a new draft: the applicant has opened the application after a
 * restored server listed it again, or the server has given its id to a draft that was started offline.
 */
export async function removeDeletionMark(
  { seen }: Database,
  { applicantId }: ApplicantKey,
  applicationId: string,
): Promise<void> {
  await seen.delete([applicantId, nameOf(applicationId)])
}

/** Rows that name an applicant or an appointment: where a back end numbers its ids, these may equal those of applications. */
const ofOtherIds = /^(?:listApplications|lost-steps|readAppointment) /

/** Whether the name of a row has this id as a whole: 12 is not part of 123. */
function isAbout(name: string, applicationId: string): boolean {
  return !ofOtherIds.test(name) && name.split(/[^\w-]+/).includes(applicationId)
}

function nameOf(applicationId: string): string {
  return `deleted ${applicationId}`
}
