import type { ApplicationData, FormValues } from '#contract/application.ts'
import { normaliseForm } from '#contract/application.ts'
import { isOpen } from '#contract/states.ts'
import { readStored } from '#contract/stored-form.ts'
import type { Problem } from '#api/result.ts'
import { type Draft, newDraft, type Sending, type SentFault, type ServerForm } from '#store/draft.ts'
import { mergeForms, isSameForm } from './merge.ts'
import { withoutUnsendable } from './unsendable-fields.ts'

/** What is to be done next for one application. Applications never wait for one another. */
export type Step =
  | { kind: 'rest' }
  | { kind: 'wait'; until: number }
  | { kind: 'create'; key: string }
  /** What the server has must be known before anything goes there. */
  | { kind: 'read' }
  /** Freeze what is typed now into one write, before its first try. */
  | { kind: 'prepare' }
  | { kind: 'send'; sending: Sending }

export type StepContext = {
  now: number
  /** Somebody waits for it, or the line has just come back: no backing off. */
  urgent: boolean
  /** The server's copy may have moved on: look before saying that all is well. */
  refresh: boolean
  /** Whether the server takes incomplete forms (D5, D14). */
  acceptsDrafts: boolean
}

export function nextStep(
  draft: Draft | undefined,
  { now, urgent, refresh, acceptsDrafts }: StepContext,
): Step {
  if (!draft || draft.stuck) return { kind: 'rest' }
  if (draft.notBefore > now && !urgent) return { kind: 'wait', until: draft.notBefore }
  if (draft.create) return { kind: 'create', key: draft.create.key }
  if (draft.sending) return { kind: 'send', sending: draft.sending }
  if (draft.theirs) return { kind: 'rest' }
  const isWanted = isReadyToSubmit(draft) || (acceptsDrafts && isChanged(draft))
  if (refresh || (isWanted && !draft.base)) return { kind: 'read' }
  return isWanted ? { kind: 'prepare' } : { kind: 'rest' }
}

/** Whether something was typed that the server could take and has not said to have. */
export function isChanged(draft: Pick<Draft, 'values' | 'base'>): boolean {
  return draft.base === undefined || !isSameForm(withoutUnsendable(draft), draft.base.values)
}

/** Submit was pressed, and nothing has gone wrong with the answers since. */
function isReadyToSubmit({ submitted, faulty }: Draft): boolean {
  return submitted === true && faulty !== true
}

export function prepareSending(draft: Draft, key: string): Draft {
  const { base } = draft
  if (draft.sending) return draft
  const complete = isReadyToSubmit(draft)
  return {
    ...draft,
    sending: {
      key,
      values: normaliseForm(complete ? draft.values : withoutUnsendable(draft)),
      complete,
      baseVersion: base?.version,
      additionalData: base?.additionalData ?? '',
    },
  }
}

/** The server has taken what was sent; what was typed meanwhile goes with the next write. */
export function afterSent(
  draft: Draft,
  sent: Sending,
  answer: { version: number | undefined; at: number },
): Draft {
  if (draft.sending?.key !== sent.key) return draft
  const { sending: _, ...rest } = withoutBackoff(draft)
  const isDone = sent.complete && isSameForm(draft.values, sent.values)
  const next = { ...rest, submitted: isDone ? undefined : draft.submitted, delivered: isDone || undefined }
  const sentForm = { ...answer, values: sent.values, additionalData: sent.additionalData }
  // A choice that came up meanwhile is still to be made, against what the server has now.
  return draft.theirs ? rebase(next, sentForm) : { ...next, base: sentForm }
}

/** Under the server's id now. What was typed there before must first be sent: then the two are merged as any others. */
export function afterMoved(draft: Draft, existing: Draft | undefined): Draft | undefined {
  const { create: _, ...rest } = withoutBackoff(draft)
  if (!existing) return rest
  if (isChanged(existing) || existing.sending || existing.theirs || !existing.base) return undefined
  return rebase(rest, existing.base)
}

export function dropSending(draft: Draft): Draft {
  const { sending: _, ...rest } = draft
  return rest
}

/** The server's form as it is now: merged in, or laid beside until the applicant has chosen (D32). */
export function rebase(draft: Draft, theirs: ServerForm): Draft {
  const { sending: _, theirs: __, ...rest } = withoutBackoff(draft)
  const { values, choices } = mergeForms({
    base: draft.base?.values,
    mine: draft.values,
    theirs: theirs.values,
  })
  return choices.length > 0 ? { ...rest, theirs } : { ...rest, values, base: theirs }
}

/** What the server has now, met with what is here. Once an application was confirmed elsewhere its copy wins (S93). */
export function mergeServerData(
  draft: Draft,
  data: ApplicationData,
  at: number,
): { draft: Draft; overruled: boolean } {
  const theirs = toServerForm(data, at)
  const { currentState = 'NEW' } = data
  const isMine = draft.base === undefined || draft.base.version === data.version
  const wins = isOpen(currentState) ? currentState !== 'NEW' && !isMine : true
  if (!wins || !isChanged(draft)) return { draft: rebase(draft, theirs), overruled: false }
  return { draft: replaceWithServerForm(draft, theirs), overruled: true }
}

/** After the application has gone further the server's copy wins, and the applicant is told (S93). */
export function replaceWithServerForm(draft: Draft, theirs: ServerForm): Draft {
  const { sending: _, theirs: __, submitted: ___, faulty: ____, ...rest } = withoutBackoff(draft)
  return { ...rest, values: theirs.values, base: theirs }
}

/** The applicant has picked one of the two for every choice. */
export function resolveConflicts(draft: Draft, picked: FormValues): Draft {
  if (!draft.theirs) return draft
  const { theirs, ...rest } = draft
  return { ...rest, values: picked, base: theirs }
}

export type TypedForm = {
  values: FormValues
  tab: string
  lastKnown: Draft
  /** Whether these answers could be submitted; asked only while a Submit waits. */
  isValid?: () => boolean
}

/**
 * What the form on the screen and the stored draft make of each other. `known` is the draft as the form saw it last:
 * what differs from it in the store came from the server, what differs on the screen was typed.
 */
export function mergeTyped(stored: Draft | undefined, typed: TypedForm): Draft {
  const { values, tab, lastKnown } = typed
  const { base, theirs, create } = lastKnown
  if (!stored) return newDraft({ values, tab, base, theirs, create })
  const next = clearRefusal(stored, typed)
  const merged = mergeForms({ base: lastKnown.values, mine: values, theirs: stored.values })
  const draft = { ...next, values: merged.values, tab }
  if (merged.choices.length > 0) return { ...draft, base, theirs: stored.theirs ?? stored.base }
  // Typed alike by now, or back to what it was: then there is nothing left to choose.
  return draft.theirs ? rebase(draft, draft.theirs) : draft
}

/** A changed answer ends a refusal. A Submit that waits goes with the newest answers, once they have no fault. */
function clearRefusal(draft: Draft, { values, isValid }: TypedForm): Draft {
  if (isSameForm(draft.values, values)) return draft
  const { stuck, faulty: _, delivered: __, ...rest } = draft
  const faulty = draft.submitted === true && isValid?.() !== true
  const next = { ...rest, ...(faulty && { faulty }) }
  return stuck && stuck.kind !== 'refused' ? { ...next, stuck } : next
}

/** The next write is the whole form, as it was found without a fault. */
export function markSubmitted(draft: Draft): Draft {
  const { faulty: _, ...rest } = draft
  return { ...rest, submitted: true }
}

export type SyncReaction =
  /** Ask again later, under the same key. */
  | { kind: 'again' }
  /** Nothing goes out until somebody has signed in. */
  | { kind: 'sign-in' }
  | { kind: 'refused'; faults: SentFault[] }
  | { kind: 'gone' }
  | { kind: 'not-allowed' }
  /** Somebody else wrote first: their form, to merge with. */
  | { kind: 'stale'; data: unknown }
  /** The application has gone further: its form is closed. */
  | { kind: 'moved-on' }
  /** The key is spent on other words: the same words go under a new one. */
  | { kind: 'new-key' }

/** What a call that did not succeed means for what it carried. */
export function syncReactionTo(problem: Problem): SyncReaction {
  if (problem.kind !== 'refused') return { kind: 'again' }
  switch (problem.status) {
    case 401:
      return { kind: 'sign-in' }
    case 403:
      return { kind: 'not-allowed' }
    case 404:
      return { kind: 'gone' }
    case 408:
    case 425:
    case 429:
      return { kind: 'again' }
    case 409:
      if (problem.reason === 'in-flight') return { kind: 'again' }
      if (problem.reason === 'wrong-state') return { kind: 'moved-on' }
      return { kind: 'stale', data: problem.data }
    default:
      if (problem.reason === 'key-reused') return { kind: 'new-key' }
      return { kind: 'refused', faults: problem.errors.flatMap(readFault) }
  }
}

const firstDelayMs = 2_000
const longestDelayMs = 5 * 60_000
/** The lower limit when the random number is near 0. */
const shortestDelayMs = 500

/**
 * Milliseconds until the next attempt after `attempts` failures: exponential with a limit and with full jitter, so that
 * the phones of a town do not all retry at the moment when their network is back. `random` is from 0 up to 1.
 */
export function backoffMs(attempts: number, random: number, minDelayMs = 0): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 20))
  return Math.max(shortestDelayMs, minDelayMs, Math.round(random * ceiling))
}

/** The retry sends the same write under the same key (D13). */
export function scheduleRetry(draft: Draft, { now, random }: { now: number; random: number }): Draft {
  const attempts = draft.attempts + 1
  return { ...draft, attempts, notBefore: now + backoffMs(attempts, random) }
}

/** It was answered, with a no: the next try is another intent. */
export function markStuck(draft: Draft, stuck: NonNullable<Draft['stuck']>): Draft {
  const { sending: _, submitted: __, faulty: ___, ...rest } = withoutBackoff(draft)
  return { ...rest, stuck }
}

export function toServerForm(data: ApplicationData, at: number): ServerForm {
  return { version: data.version, additionalData: data.additionalData, values: readStored(data), at }
}

function withoutBackoff(draft: Draft): Draft {
  return { ...draft, attempts: 0, notBefore: 0 }
}

function readFault(
  error: string | { field?: string | undefined; message?: string | undefined },
): SentFault[] {
  return typeof error === 'string' || error.field === undefined
    ? []
    : [{ field: error.field, message: error.message }]
}
