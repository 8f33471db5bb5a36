import { type ApplicationData, emptyForm, type FormValues, tabs } from '#contract/application.ts'
import { copyFields } from '#contract/field-groups.ts'
import { isOpen } from '#contract/states.ts'
import { readStored } from '#contract/stored-form.ts'
import { type Draft, newDraft, type Sending, type ServerForm } from '#store/draft.ts'
import { withoutBackoff } from './backoff.ts'
import { emptiedGroups, isSameForm, type Merged, mergeForms, mergeOlderForm } from './merge.ts'
import { isChanged, isFreeable, isReadyToSubmit } from './next-step.ts'
import { dropSending } from './sending.ts'

type MergedData = {
  draft: Draft
  /** The server's copy has replaced other answers of the draft: unsent ones, or those of a Submit (S93). */
  isReplaced: boolean
  /** The server was restored from a backup, and the draft has other answers than the server's form (D62). */
  isLostByServer: boolean
}

/**
 * Merges the server's form into the draft. The server's copy replaces unsent local changes, and ends a Submit, when the
 * form is closed. It replaces changes also when the application was confirmed, its version differs from the newest one
 * that the draft knows, and its answers differ from those of the base (S93). The copy of a restored server replaces
 * changes only when the form is closed, and then also the answers that this server has lost. `at`: when this device
 * received `data`, wall clock in milliseconds.
 */
export function mergeServerData(stored: Draft, data: ApplicationData, at: number): MergedData {
  const draft = freed(stored)
  const theirs = toServerForm(data, at)
  const { currentState = 'NEW' } = data
  const hasLost = isFromBackup(theirs, draft.base)
  // The applicant still has to choose from a newer form of the server. This older form would replace the newer one,
  // whose answers would be lost (D62).
  if (isOpen(currentState) && isFromBackup(theirs, draft.theirs))
    return { draft: dropSending(withoutBackoff(draft)), isReplaced: false, isLostByServer: false }
  if (isOpen(currentState) && hasLost) {
    const rebased = rebase(draft, theirs)
    return { draft: rebased, isReplaced: false, isLostByServer: !isSameForm(rebased.values, theirs.values) }
  }
  // While the applicant has to choose, `theirs` is the newest form of the server that this device knows.
  const { version } = draft.theirs ?? draft.base ?? data
  // A confirmation, perhaps of this device, that changed no answer of the base replaces none.
  const isMine =
    draft.base === undefined || version === data.version || isSameForm(theirs.values, draft.base.values)
  const isClosed = !isOpen(currentState)
  const wins = isClosed || (currentState !== 'NEW' && !isMine)
  // A closed form takes no Submit, also of a draft without changes.
  const isUnsent = isChanged(draft) || (isClosed && draft.submitted)
  if (!wins || (!isUnsent && !hasLost))
    return { draft: rebase(draft, theirs), isReplaced: false, isLostByServer: false }
  return {
    draft: replaceWithServerForm(draft, theirs),
    isReplaced: !isSameForm(draft.values, theirs.values),
    isLostByServer: false,
  }
}

export function toServerForm(data: ApplicationData, at: number): ServerForm {
  const { version, epoch, additionalData } = data
  return { version, epoch, additionalData, values: readStored(data), at }
}

/**
 * Whether the server was restored from a backup: its form may be older than the one that this device knew. While the
 * applicant can still change the form, the older form never wins by itself (D62). True also for a form without a version,
 * when the server's forms had one: it may be the answer of something else, such as a Wi-Fi router (D60).
 */
export function isFromBackup(
  theirs: Partial<Pick<ServerForm, 'version' | 'epoch'>>,
  base: ServerForm | undefined,
): boolean {
  if (base?.version === undefined) return false
  if (theirs.version === undefined) return true
  const isOtherEpoch = base.epoch !== undefined && theirs.epoch !== undefined && base.epoch !== theirs.epoch
  return isOtherEpoch || theirs.version < base.version
}

/**
 * Whether the draft has got a newer base than this form since the read of this form began, for example by the applicant's
 * confirmation: then the form does not say what the server has now.
 */
export function isOvertaken(
  draft: Draft,
  data: ApplicationData,
  baseBefore: ServerForm | undefined,
): boolean {
  return draft.base?.version !== baseBefore?.version && isFromBackup(data, draft.base)
}

/**
 * Merges the server's form into the draft; in a conflict keeps that form in `theirs` until the applicant chooses (D32). Drops
 * the write in progress and the backoff.
 */
export function rebase(draft: Draft, theirs: ServerForm): Draft {
  const { sending: _, theirs: __, ...rest } = withoutBackoff(draft)
  const { values, conflicts } = mergeDraft(draft, theirs)
  if (conflicts.length === 0) return withBase(withAnswers(rest, values), theirs)
  if (draft.base || isSubmittedWithoutBase(draft)) return { ...rest, theirs }
  // From here on the server's form is the base, so the applicant may change its answers. Only in the fields of a conflict
  // the base is empty.
  const fields = conflicts.flatMap(conflict => conflict.fields)
  return {
    ...rest,
    values,
    theirs,
    base: { ...theirs, values: copyFields(fields, emptyForm(), theirs.values) },
  }
}

/** The draft's answers with those of the server's form `theirs`, and the groups in which the applicant must choose. */
export function mergeDraft(draft: Draft, theirs: ServerForm): Merged {
  const sides = { base: draft.base?.values, mine: draft.values, theirs: theirs.values }
  return isSubmittedWithoutBase(draft) || isFromBackup(theirs, draft.base)
    ? mergeOlderForm({ ...sides, emptied: draft.emptied })
    : mergeForms(sides)
}

/** The server has accepted the write; changes made during the write go with the next one. */
export function afterSent(
  draft: Draft,
  sent: Sending,
  answer: Pick<ServerForm, 'version' | 'epoch' | 'at'>,
): Draft {
  if (draft.sending?.key !== sent.key) return draft
  const { sending: _, ...rest } = withoutBackoff(draft)
  const isDone = sent.complete && isSameForm(draft.values, sent.values)
  const next = { ...rest, submitted: isDone ? undefined : draft.submitted, delivered: isDone || undefined }
  const sentForm = { ...answer, values: sent.values, additionalData: sent.additionalData }
  if (!draft.theirs) return withBase(next, sentForm)
  // A conflict that arose during the write is merged again, with the form that the server has now. In all other fields
  // the base has the sent answers: what was typed there since is no conflict.
  const fields = mergeDraft(draft, draft.theirs).conflicts.flatMap(conflict => conflict.fields)
  const values = copyFields(fields, draft.base?.values ?? emptyForm(), sent.values)
  return rebase({ ...next, base: { ...(draft.base ?? sentForm), values } }, sentForm)
}

/**
 * Returns the draft after the server has accepted the confirmation of this form. If the draft has the same answers as at the
 * press on Confirm, it then has only the confirmed ones; otherwise both are merged. When the device knows a newer form by now,
 * the response is late or repeated, and the draft stays as it is (D13). `atPress`: the draft's answers at the press; undefined
 * without a draft, or when they are not known.
 */
export function afterConfirmed(
  stored: Draft | undefined,
  confirmed: ServerForm,
  atPress: FormValues | undefined,
): Draft {
  const { values, epoch } = confirmed
  if (stored?.base && stored.base.epoch === epoch && isFromBackup(confirmed, stored.base)) return stored
  const { stuck: _, delivered: __, ...draft } = stored ?? newDraft({ values, tab: tabs[0] })
  // The clock of the phone cannot tell what was typed since the press: it may have been set back.
  return atPress && isSameForm(draft.values, atPress)
    ? replaceWithServerForm(draft, confirmed)
    : rebase(draft, confirmed)
}

/** The server's form replaces the draft: the form is closed, or the applicant has confirmed it (S93). */
export function replaceWithServerForm(draft: Draft, theirs: ServerForm): Draft {
  const { sending: _, theirs: __, submitted: ___, faulty: ____, ...rest } = withoutBackoff(draft)
  return withBase(withAnswers(rest, theirs.values), theirs)
}

/**
 * The draft under the server's id. Undefined when the existing draft there has unsent changes, a Submit to be sent or a
 * conflict: the sync must finish these first; then both are merged like any others. A Submit that waits until the applicant
 * corrects the answers may wait for ever, so the merged draft takes it over. `isExisting`: the server had the application
 * before.
 */
export function afterMoved(draft: Draft, existing: Draft | undefined, isExisting = false): Draft | undefined {
  const { create: _, ...moved } = withoutBackoff(draft)
  const rest = { ...moved, ...((existing || isExisting) && { hasJoined: true }) }
  if (!existing) return rest
  const { base, submitted } = existing
  if (isChanged(existing) || isReadyToSubmit(existing) || existing.sending || existing.theirs || !base)
    return undefined
  return { ...rebase(rest, base), ...(submitted && { submitted, faulty: true }) }
}

export type ConflictChoice = { picked: FormValues; shown: Draft }

/**
 * The applicant has chosen one side for every conflict of the draft `shown`; `picked`: the merged answers of `shown`
 * (`mergeDraft`) with the choices. What was typed since stays. When the server's form has changed since, or the applicant has
 * since typed in a field that the choice replaces, the applicant is asked again.
 */
export function resolveConflicts(draft: Draft, { picked, shown }: ConflictChoice): Draft {
  if (!draft.theirs || !shown.theirs || !isSameServerForm(draft.theirs, shown.theirs)) return draft
  const { values, conflicts } = mergeForms({ base: shown.values, mine: draft.values, theirs: picked })
  if (conflicts.length > 0) return { ...draft, values }
  const { theirs, ...rest } = draft
  return withBase(withAnswers(rest, values), theirs)
}

/**
 * A submitted draft is sent as a complete form. Without a base, each answer of the server that differs from the draft's is
 * a conflict, because the applicant has seen only the draft's answers.
 */
function isSubmittedWithoutBase({ base, submitted }: Draft): boolean {
  return base === undefined && submitted === true
}

/** The draft with this form of the server as its base. What the applicant has emptied must not come back (D62). */
function withBase({ emptied, ...draft }: Draft, base: ServerForm): Draft {
  const next = emptiedGroups({ before: draft.base?.values, after: base.values, emptied })
  return { ...draft, base, ...(next && { emptied: next }) }
}

/** The draft with the answers of a merge. When these differ, the submitted form is no longer the one that was accepted. */
function withAnswers({ delivered, ...draft }: Draft, values: FormValues): Draft {
  return { ...draft, values, ...(delivered && isSameForm(values, draft.values) && { delivered }) }
}

/** The server has sent its copy of this application, so a refusal of the kind `gone` or `not-allowed` is over. */
function freed(draft: Draft): Draft {
  if (!draft.stuck || !isFreeable(draft.stuck)) return draft
  const { stuck: _, ...rest } = draft
  return rest
}

function isSameServerForm(one: ServerForm, other: ServerForm): boolean {
  return one.version === other.version && one.epoch === other.epoch && isSameForm(one.values, other.values)
}
