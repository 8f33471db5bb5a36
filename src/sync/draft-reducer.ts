import type { ApplicationData, FieldName, FormValues } from '#contract/application.ts'
import { emptyForm, normaliseForm, tabs } from '#contract/application.ts'
import { copyFields, fieldGroups, haveSameAnswers } from '#contract/field-groups.ts'
import { isOpen } from '#contract/states.ts'
import { readStored } from '#contract/stored-form.ts'
import { inFlightReason, type Problem } from '#api/result.ts'
import {
  type Draft,
  newDraft,
  type Sending,
  type SentFault,
  type ServerForm,
  type Stuck,
} from '#store/draft.ts'
import { emptiedGroups, isSameForm, type Merged, mergeForms, mergeOlderForm } from './merge.ts'
import { withoutUnsendable } from './unsendable-fields.ts'

/** The next step of the sync for one application. Applications do not wait for each other. */
export type Step =
  | { kind: 'idle' }
  | { kind: 'wait'; until: number }
  | { kind: 'create'; key: string }
  /**
   * Read the server's copy: before the first write, on request (`refresh`), after a failed read, or after a refusal. `base`:
   * the base of the draft before the read.
   */
  | { kind: 'read'; base: ServerForm | undefined }
  /** Save the current form as one write, with its key, before the first attempt. */
  | { kind: 'prepare'; acceptsDrafts: boolean }
  | { kind: 'send'; sending: Sending }

export type StepContext = {
  now: number
  /** Ignores the backoff: an applicant waits, or the sign-in, the connection or the page is back. */
  urgent: boolean
  /**
   * A read of the server's copy was requested, because another device or a restore may have changed it. It comes before a
   * new write, but after a creation or a write that has begun.
   */
  refresh: boolean
  /** Whether the server accepts incomplete forms (D5, D14). */
  acceptsDrafts: boolean
}

export function nextStep(
  draft: Draft | undefined,
  { now, urgent, refresh, acceptsDrafts }: StepContext,
): Step {
  if (!draft) return { kind: 'idle' }
  const read: Step = { kind: 'read', base: draft.base }
  if (draft.stuck) return (refresh || urgent) && isFreeable(draft.stuck) ? read : { kind: 'idle' }
  if (isWaiting(draft, now) && !urgent) return { kind: 'wait', until: draft.notBefore }
  if (draft.create) return { kind: 'create', key: draft.create.key }
  if (draft.sending) return { kind: 'send', sending: draft.sending }
  if (draft.theirs) return refresh || draft.attempts > 0 ? read : { kind: 'idle' }
  const isWanted = isToBeSent(draft, acceptsDrafts)
  if (refresh || (isWanted && !draft.base)) return read
  if (isWanted) return { kind: 'prepare', acceptsDrafts }
  // Nothing is to be sent, so the attempt that failed was a read: repeat it.
  return draft.attempts > 0 ? read : { kind: 'idle' }
}

/** A refusal that may be over, so the sync reads again: the server was restored since, or something else answered. */
function isFreeable({ kind }: Stuck): boolean {
  return kind === 'gone' || kind === 'not-allowed'
}

/** A time that is further away than the longest delay was set before the clock jumped: the attempt is due. */
function isWaiting({ notBefore }: Draft, now: number): boolean {
  return notBefore > now && notBefore - now <= longestDelayMs
}

/** Whether the draft has sendable changes that the server has not confirmed. Always true without a base. */
export function isChanged(draft: Pick<Draft, 'values' | 'base'>): boolean {
  return draft.base === undefined || !isSameForm(withoutUnsendable(draft), draft.base.values)
}

/** The applicant pressed Submit, and the answers have no fault now. */
function isReadyToSubmit({ submitted, faulty }: Draft): boolean {
  return submitted === true && faulty !== true
}

function isToBeSent(draft: Draft, acceptsDrafts: boolean): boolean {
  return isReadyToSubmit(draft) || (acceptsDrafts && isChanged(draft))
}

/**
 * Prepares the write if it is still the next step. A form may have changed the draft since `nextStep`, and neither a
 * conflict nor a change that was undone may be sent.
 */
export function prepareSending(draft: Draft, key: string, acceptsDrafts: boolean): Draft {
  const next = nextStep(draft, { now: draft.notBefore, urgent: true, refresh: false, acceptsDrafts })
  return next.kind === 'prepare' ? { ...draft, sending: createSending(draft, key) } : draft
}

function createSending(draft: Draft, key: string): Sending {
  const { base } = draft
  const complete = isReadyToSubmit(draft)
  return {
    key,
    values: normaliseForm(complete ? draft.values : withoutUnsendable(draft)),
    complete,
    baseVersion: base?.version,
    additionalData: base?.additionalData ?? '',
  }
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
  // A conflict that arose during the write is merged again, with the form that the server has now. The other answers of
  // this form are of this device: what was typed there since is no conflict.
  const fields = mergeDraft(draft, draft.theirs).conflicts.flatMap(conflict => conflict.fields)
  const values = copyFields(fields, draft.base?.values ?? emptyForm(), sent.values)
  return rebase({ ...next, base: { ...(draft.base ?? sentForm), values } }, sentForm)
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

export function dropSending(draft: Draft): Draft {
  const { sending: _, ...rest } = draft
  return rest
}

/** Whether the draft has other answers by now than the write in progress. */
export function isSendingOutdated({ sending, ...draft }: Draft): boolean {
  return sending !== undefined && !isSameForm(withoutUnsendable(draft), sending.values)
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

/**
 * A submitted draft is sent as a complete form. Without a base, every other answer of the server is a conflict, because
 * the applicant has seen only the draft's answers.
 */
function isSubmittedWithoutBase({ base, submitted }: Draft): boolean {
  return base === undefined && submitted === true
}

/** The draft's answers with those of the server's form `theirs`, and the groups in which the applicant must choose. */
export function mergeDraft(draft: Draft, theirs: ServerForm): Merged {
  const sides = { base: draft.base?.values, mine: draft.values, theirs: theirs.values }
  return isSubmittedWithoutBase(draft) || isFromBackup(theirs, draft.base)
    ? mergeOlderForm({ ...sides, emptied: draft.emptied })
    : mergeForms(sides)
}

type MergedData = {
  draft: Draft
  /** The server's copy has replaced other answers of the draft (S93). */
  isReplaced: boolean
  /** The draft has answers that the server lost, because it was restored from a backup (D62). */
  isLostByServer: boolean
}

/**
 * Merges the server's form into the draft. The server's copy replaces unsent local changes when the form is closed, or when
 * the application was confirmed, its version differs from the newest one that the draft knows, and its answers differ from
 * those of the base (S93).
 */
export function mergeServerData(stored: Draft, data: ApplicationData, at: number): MergedData {
  const draft = freed(stored)
  const theirs = toServerForm(data, at)
  const { currentState = 'NEW' } = data
  const hasLost = isFromBackup(theirs, draft.base)
  // The applicant still has to choose from a newer form of the server: this older form would replace it, and its answers
  // would be lost (D62).
  if (isOpen(currentState) && isFromBackup(theirs, draft.theirs))
    return { draft: dropSending(withoutBackoff(draft)), isReplaced: false, isLostByServer: false }
  if (isOpen(currentState) && hasLost) {
    const rebased = rebase(draft, theirs)
    return { draft: rebased, isReplaced: false, isLostByServer: !isSameForm(rebased.values, theirs.values) }
  }
  // The applicant still has to choose from a form that this device knows already.
  const { version } = draft.theirs ?? draft.base ?? data
  // A confirmation, perhaps of this device, that changed no answer of the base replaces none.
  const isMine =
    draft.base === undefined || version === data.version || isSameForm(theirs.values, draft.base.values)
  const wins = isOpen(currentState) ? currentState !== 'NEW' && !isMine : true
  if (!wins || (!isChanged(draft) && !hasLost))
    return { draft: rebase(draft, theirs), isReplaced: false, isLostByServer: false }
  return {
    draft: replaceWithServerForm(draft, theirs),
    isReplaced: !isSameForm(draft.values, theirs.values),
    isLostByServer: false,
  }
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
 * Whether a confirmation has given the draft a newer base than this form since the read of this form began: then the form
 * does not say what the server has now.
 */
export function isOvertaken(
  draft: Draft,
  data: ApplicationData,
  baseBefore: ServerForm | undefined,
): boolean {
  return draft.base?.version !== baseBefore?.version && isFromBackup(data, draft.base)
}

/** The server has sent its copy of this application, so the refusal is over. */
function freed(draft: Draft): Draft {
  if (!draft.stuck || !isFreeable(draft.stuck)) return draft
  const { stuck: _, ...rest } = draft
  return rest
}

/** The server's form replaces the draft: the form is closed, or the applicant has confirmed it (S93). */
export function replaceWithServerForm(draft: Draft, theirs: ServerForm): Draft {
  const { sending: _, theirs: __, submitted: ___, faulty: ____, ...rest } = withoutBackoff(draft)
  return withBase(withAnswers(rest, theirs.values), theirs)
}

/**
 * Returns the draft after the server has confirmed this form. If nothing was typed since the press on Confirm, it has only
 * the confirmed answers; otherwise both are merged. When the device knows a newer form by now, the response is late or
 * repeated, and the draft stays as it is (D13). `pressedAtMs`: wall clock.
 */
export function afterConfirmed(stored: Draft | undefined, confirmed: ServerForm, pressedAtMs: number): Draft {
  const { values, epoch } = confirmed
  if (stored?.base && stored.base.epoch === epoch && isFromBackup(confirmed, stored.base)) return stored
  const { stuck: _, delivered: __, ...draft } = stored ?? newDraft({ values, tab: tabs[0] })
  return draft.savedAt < pressedAtMs ? replaceWithServerForm(draft, confirmed) : rebase(draft, confirmed)
}

/**
 * The applicant has chosen one side for every conflict of the draft `shown`; `picked` is that form with the choices. What
 * was typed since stays. When the server's form has changed since, or the applicant has since typed in a field that the
 * choice replaces, the applicant is asked again.
 */
export function resolveConflicts(draft: Draft, { picked, shown }: ConflictChoice): Draft {
  if (!draft.theirs || !shown.theirs || !isSameServerForm(draft.theirs, shown.theirs)) return draft
  const { values, conflicts } = mergeForms({ base: shown.values, mine: draft.values, theirs: picked })
  if (conflicts.length > 0) return { ...draft, values }
  const { theirs, ...rest } = draft
  return withBase(withAnswers(rest, values), theirs)
}

export type ConflictChoice = { picked: FormValues; shown: Draft }

function isSameServerForm(one: ServerForm, other: ServerForm): boolean {
  return one.version === other.version && one.epoch === other.epoch && isSameForm(one.values, other.values)
}

export type ScreenForm = {
  values: FormValues
  tab: string
  lastKnown: Draft
  /** Who has typed; undefined when it is not known. */
  applicantId?: string | undefined
  /** Whether these answers have no faults; called only while a Submit waits. Without it, changed answers count as faulty. */
  isValid?: (values: FormValues) => boolean
}

/**
 * Merges the form on the screen with the stored draft. `lastKnown` is the draft as the form saw it last: answers that
 * differ in the store came from the server or from another tab, those that differ on the screen were typed here.
 */
export function mergeScreenForm(stored: Draft | undefined, typed: ScreenForm): Draft {
  const { values, tab, lastKnown } = typed
  const { base, emptied, theirs, create } = lastKnown
  if (!stored) return newDraft({ values, tab, base, emptied, theirs, create })
  const merged = mergeForms({ base: lastKnown.values, mine: values, theirs: stored.values })
  const next = clearRefusal(stored, { ...typed, values: merged.values })
  const draft = { ...next, values: merged.values, tab }
  const newest = stored.theirs ?? stored.base
  // Another tab and this form changed the same answer. The typed answer stays; the applicant is asked only if the
  // server's form has a third answer.
  if (merged.conflicts.length > 0 && newest) {
    const fields = merged.conflicts.flatMap(conflict => conflict.fields)
    const known = baseOfConflict(stored.base, { fields, lastKnown, typed: values })
    const knownBase = stored.theirs || !base || !known ? known : { ...base, values: known.values }
    return { ...rebase({ ...draft, base: knownBase }, newest), sending: stored.sending }
  }
  // The applicant may have typed the conflict away. The write in progress goes on.
  return draft.theirs ? { ...rebase(draft, draft.theirs), sending: stored.sending } : draft
}

/**
 * Returns the base for a merge with the server's form when the screen and another tab have changed the same answers, those of
 * `fields`. It is the base of the stored draft (which `rebase` may have made for a form that was started offline), but in
 * `fields` it has the answers of `lastKnown.base`: when the applicant typed in these fields, the screen did not show the stored
 * answers yet. An answer that was typed back to that of `lastKnown.base` would count as unchanged: for such an answer the base
 * has the one that the screen showed before.
 */
function baseOfConflict(
  base: ServerForm | undefined,
  { fields, lastKnown, typed }: { fields: readonly FieldName[]; lastKnown: Draft; typed: FormValues },
): ServerForm | undefined {
  const known = lastKnown.base?.values ?? emptyForm()
  const typedBack = fieldGroups.filter(group => haveSameAnswers(typed, known, group)).flat()
  const shown = copyFields(typedBack, lastKnown.values, known)
  return base && { ...base, values: copyFields(fields, shown, base.values) }
}

/**
 * A changed answer ends a refusal. A waiting Submit sends the newest answers as soon as they have no fault. `values`: the
 * answers that the draft gets, also from another tab.
 */
function clearRefusal(draft: Draft, { values, isValid }: ScreenForm): Draft {
  if (isSameForm(draft.values, values))
    return draft.faulty && isValid?.(values) === true ? withoutFault(draft) : draft
  // The answers may be complete now, and an open order does not stop a complete form.
  const { stuck: _, faulty: __, delivered: ___, ...rest } = draft.heldByOrder ? withoutBackoff(draft) : draft
  const faulty = draft.submitted === true && isValid?.(values) !== true
  return { ...rest, ...(faulty && { faulty }) }
}

function withoutFault(draft: Draft): Draft {
  const { faulty: _, ...rest } = draft
  return rest
}

/** The next write is the complete form, which the rules have found without a fault. */
export function markSubmitted(draft: Draft): Draft {
  const { faulty: _, stuck: __, ...rest } = draft
  return { ...rest, submitted: true }
}

export type SyncReaction =
  /** Retry later under the same key. */
  | { kind: 'retry' }
  /**
   * While an order is open, the server accepts no incomplete answers: it has stored nothing, and has not used this key
   * (D14).
   */
  | { kind: 'held-by-order' }
  /** Send nothing until there is a new token. */
  | { kind: 'sign-in' }
  | { kind: 'refused'; faults: SentFault[] }
  | { kind: 'gone' }
  | { kind: 'not-allowed' }
  /** Another device wrote first: `data` is the server's form, to merge with. */
  | { kind: 'stale'; data: unknown }
  /** The application is in a later state: its form is closed. */
  | { kind: 'wrong-state' }
  /** The server knows this key with another body: send the body under a new key. */
  | { kind: 'new-key' }

/** What a failed call means for the draft. */
export function syncReactionTo(problem: Problem): SyncReaction {
  if (isHeldByOrder(problem)) return { kind: 'held-by-order' }
  if (problem.kind !== 'refused') return { kind: 'retry' }
  switch (problem.status) {
    case 401:
      return { kind: 'sign-in' }
    // Without a reason a proxy or a captive portal may have answered instead of the service, for a time.
    case 403:
      return problem.reason === undefined ? { kind: 'retry' } : { kind: 'not-allowed' }
    case 404:
      return problem.reason === undefined ? { kind: 'retry' } : { kind: 'gone' }
    case 408:
    case 425:
    case 429:
      return { kind: 'retry' }
    case 409:
      if (problem.reason === inFlightReason) return { kind: 'retry' }
      if (problem.reason === 'wrong-state') return { kind: 'wrong-state' }
      return { kind: 'stale', data: problem.data }
    default:
      if (problem.reason === 'key-reused') return { kind: 'new-key' }
      return { kind: 'refused', faults: problem.errors.flatMap(readFault) }
  }
}

/** Without `paymentId` an earlier attempt with the same key may still run: then the body of the write must stay (D13). */
function isHeldByOrder(problem: Problem): boolean {
  if (!('reason' in problem) || problem.reason !== inFlightReason) return false
  return typeof problem.data === 'object' && problem.data !== null && 'paymentId' in problem.data
}

const firstDelayMs = 2_000
const longestDelayMs = 5 * 60_000
/** The lower limit when the random number is near 0. */
const shortestDelayMs = 500

/**
 * Milliseconds until the next attempt after `attempts` failures: exponential with a limit and with full jitter, so that
 * the phones of a town do not all retry at the moment when their network is back. `random` is from 0 up to 1.
 * `minDelayMs` has the same limit, because `isWaiting` ignores a time that is further away.
 */
export function backoffMs(attempts: number, random: number, minDelayMs = 0): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 20))
  return Math.max(shortestDelayMs, Math.min(longestDelayMs, minDelayMs), Math.round(random * ceiling))
}

/** A write in progress stays as it is: the retry sends it under the same key (D13). */
export function scheduleRetry(
  draft: Draft,
  { now, random, minDelayMs }: { now: number; random: number; minDelayMs?: number },
): Draft {
  const attempts = draft.attempts + 1
  return { ...draft, attempts, notBefore: now + backoffMs(attempts, random, minDelayMs) }
}

/** The server has refused: drops the write and the Submit. A later write gets a new key. */
export function markStuck(draft: Draft, stuck: NonNullable<Draft['stuck']>): Draft {
  const { sending: _, submitted: __, faulty: ___, ...rest } = withoutBackoff(draft)
  return { ...rest, stuck }
}

export function toServerForm(data: ApplicationData, at: number): ServerForm {
  const { version, epoch, additionalData } = data
  return { version, epoch, additionalData, values: readStored(data), at }
}

function withoutBackoff(draft: Draft): Draft {
  const { heldByOrder: _, ...rest } = draft
  return { ...rest, attempts: 0, notBefore: 0 }
}

function readFault(
  error: string | { field?: string | undefined; message?: string | undefined },
): SentFault[] {
  return typeof error === 'string' || error.field === undefined
    ? []
    : [{ field: error.field, message: error.message }]
}
