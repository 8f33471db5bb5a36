import type { Draft, Sending, ServerForm, Stuck } from '#store/draft.ts'
import { isWaiting } from './backoff.ts'
import { isSameForm } from './merge.ts'
import { withoutUnsendable } from './unsendable-fields.ts'

/** The next step of the sync for one application. Applications do not wait for each other. */
export type Step =
  | { kind: 'idle' }
  | { kind: 'wait'; until: number }
  | { kind: 'create'; key: string }
  /**
   * Read the server's copy: before the first write, on request (`refresh`), after a failure when nothing is to be sent
   * any more, or after a refusal that may be over. `base`: the base of the draft before the read.
   */
  | { kind: 'read'; base: ServerForm | undefined }
  /** Save the current form as one write, with its key, before the first attempt. */
  | { kind: 'prepare'; acceptsDrafts: boolean }
  | { kind: 'send'; sending: Sending }

export type StepContext = {
  now: number
  /** Ignores the backoff: an applicant waits or has signed in, or the connection or the page is back. */
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
  // Nothing is to be sent: the attempt that failed was a read, or its answers were undone.
  return draft.attempts > 0 ? read : { kind: 'idle' }
}

/**
 * A refusal that may be over, so the sync reads again: the server was restored since, or another system had sent the
 * refusal.
 */
export function isFreeable({ kind }: Stuck): boolean {
  return kind === 'gone' || kind === 'not-allowed'
}

/** Whether the draft has other sendable answers than its base. Always true without a base. */
export function isChanged(draft: Pick<Draft, 'values' | 'base'>): boolean {
  return draft.base === undefined || !isSameForm(withoutUnsendable(draft), draft.base.values)
}

/** The applicant pressed Submit, and the answers have no fault now. */
export function isReadyToSubmit({ submitted, faulty }: Draft): boolean {
  return submitted === true && faulty !== true
}

function isToBeSent(draft: Draft, acceptsDrafts: boolean): boolean {
  return isReadyToSubmit(draft) || (acceptsDrafts && isChanged(draft))
}
