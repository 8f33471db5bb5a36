import type { EndpointName } from '#contract/endpoints.ts'
import type { Refusal } from '#server/calls/call.ts'
import {
  applicationsCreated,
  bookings,
  draftsSaved,
  formsConfirmed,
  formsSubmitted,
  holds,
  holdsLost,
  refusals,
  signIns,
} from '#server/calls/event-counts.ts'

/**
 * Counts a call that succeeded, by its effect. A repeat that gets the stored answer of its idempotency key runs no handler,
 * and so is not counted again. Nor is an answer counted whose handler has called `skipMetrics`: its application, hold
 * or booking was there before. Any other repeat counts: for example a second save, or a second answer that a hold
 * was over.
 */
export function countCall(name: EndpointName, body: unknown, answered: unknown): void {
  switch (name) {
    case 'login':
    case 'answerDormant':
      return signIns.inc()
    case 'createApplication':
      return applicationsCreated.inc()
    case 'saveData':
      return isDraft(body) ? draftsSaved.inc() : formsSubmitted.inc()
    case 'confirmData':
      return formsConfirmed.inc()
    case 'createAppointment':
      return holds.inc()
    case 'updateAppointment':
      return isCancel(body) ? undefined : holds.inc()
    case 'confirmAppointment':
      return isConfirmed(answered) ? bookings.inc() : holdsLost.inc()
    default:
      return undefined
  }
}

export function countRefusal(name: EndpointName, { refused }: Refusal): void {
  refusals.inc({ call: name, problem: refused })
}

function isDraft(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'draft' in body && body.draft === true
}

function isCancel(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'cancel' in body
}

/** False: the hold was over (API22). */
function isConfirmed(answered: unknown): boolean {
  return typeof answered === 'object' && answered !== null && 'data' in answered && answered.data === true
}
