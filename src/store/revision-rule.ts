import { emptyForm, type FieldName, fieldNames, type FormValues } from '#contract/application.ts'
import { haveSameAnswers } from '#contract/field-groups.ts'
import type { Draft } from './draft.ts'

/**
 * While the applicant only types over answers that the form shows, a draft gets at most one revision in this time, in
 * milliseconds.
 */
export const typingRevisionMs = 5 * 60_000

/** Why a draft changes. `applicantId`: who has typed, if it is known. */
export type ChangeCause = Cause & { applicantId?: string | undefined }

type Cause =
  /** The applicant typed in a form that showed `lastKnown`. `formValues`: what the form shows now, if that is known. */
  | { kind: 'typed'; lastKnown: Draft; formValues?: FormValues }
  /** The applicant restores earlier answers: the current answers must become a revision first. */
  | { kind: 'restored' }
  /** The applicant deletes the draft for good, with its revisions. A change that keeps the draft deletes nothing. */
  | { kind: 'deleted' }
  /**
   * The server owns the answers now. A row that cannot be decrypted is deleted too; its ciphertext stays as a revision
   * (D63).
   */
  | { kind: 'discarded' }
  /** Any other change, such as a merge, the server's copy or a resolved conflict. */
  | { kind: 'other' }

export type DraftChange = {
  /** The draft of the row or of this page's memory, and the one that replaces it; undefined when there is none. */
  before: Draft | undefined
  after: Draft | undefined
  cause: ChangeCause
  /** The answers of the newest revision; undefined without one, and when they are not known. */
  newest: FormValues | undefined
  /** Wall clock of the newest revision, else of the first change in this page that may need one; milliseconds. */
  lastAt: number
  /** Wall clock, milliseconds. */
  now: number
}

/**
 * Returns the answers that must become revisions together with this change (D63): replaced answers and, when a conflict
 * ends, the server's form if it has answers that the draft does not have. Usually none.
 */
export function answersToKeep(change: DraftChange): FormValues[] {
  const { before, after, cause, newest } = change
  if (cause.kind === 'deleted' && !after) return []
  const { theirs } = before ?? {}
  const notChosen =
    theirs && !after?.theirs && losesAnswers(theirs.values, after?.values) ? [theirs.values] : []
  const own = ownAnswersToKeep(change)
  return [...(own ? [own] : []), ...notChosen].filter(
    values => hasAnswers(values) && !(newest && haveSameAnswers(values, newest)),
  )
}

function ownAnswersToKeep({ before, after, cause, lastAt, now }: DraftChange): FormValues | undefined {
  if (!before) return openedAnswers(after, cause)
  const { values, tab } = before
  if (!after || cause.kind === 'restored') return values
  if (cause.kind !== 'typed') return losesAnswers(values, after.values) ? values : undefined
  const { lastKnown, formValues } = cause
  // The applicant has not typed over an answer that the form did not show, nor over one that it still shows. A merge in
  // the memory of the page, when the device could not save, may have replaced the second kind.
  const notTypedOver = fieldNames.filter(
    field => values[field] !== lastKnown.values[field] || values[field] === formValues?.[field],
  )
  if (losesAnswers(values, after.values, notTypedOver)) return values
  if (tab !== after.tab) return values
  const elapsedMs = now - lastAt
  // The wall clock may have been set back.
  const isDue = elapsedMs < 0 || elapsedMs >= typingRevisionMs
  return isDue && !haveSameAnswers(values, after.values) ? values : undefined
}

/** The first change on this device: keeps the server's answers with which the form was opened. */
function openedAnswers(after: Draft | undefined, cause: ChangeCause): FormValues | undefined {
  if (cause.kind !== 'typed' || !after) return undefined
  const opened = cause.lastKnown.base?.values
  return opened && !haveSameAnswers(opened, after.values) ? opened : undefined
}

function hasAnswers(values: FormValues): boolean {
  return losesAnswers(values, undefined)
}

/**
 * Whether some of these fields have an answer that `to` does not have. A value that every new form contains does not
 * count as an answer.
 */
function losesAnswers(
  from: FormValues,
  to: FormValues | undefined,
  fields: readonly FieldName[] = fieldNames,
): boolean {
  const unanswered = emptyForm()
  return fields.some(field => {
    const answer = from[field]
    return answer !== '' && answer !== unanswered[field] && answer !== to?.[field]
  })
}
