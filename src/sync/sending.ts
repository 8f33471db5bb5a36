import { normaliseForm } from '#contract/application.ts'
import type { Draft, Sending } from '#store/draft.ts'
import { isSameForm } from './merge.ts'
import { isReadyToSubmit, nextStep } from './next-step.ts'
import { withoutUnsendable } from './unsendable-fields.ts'

/** The next write is the complete form, which the rules have found without a fault. */
export function markSubmitted(draft: Draft): Draft {
  const { faulty: _, stuck: __, ...rest } = draft
  return { ...rest, submitted: true }
}

/**
 * Prepares the write if it is still the next step. An open form may have changed the draft since `nextStep`, and neither a
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

export function dropSending(draft: Draft): Draft {
  const { sending: _, ...rest } = draft
  return rest
}

/** Whether the draft has other sendable answers by now than the write in progress. */
export function isSendingOutdated({ sending, ...draft }: Draft): boolean {
  return sending !== undefined && !isSameForm(withoutUnsendable(draft), sending.values)
}
