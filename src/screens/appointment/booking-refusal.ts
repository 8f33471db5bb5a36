import { isHandledByScreen, type Problem, wrongStateReason } from '#api/result.ts'
import { routedCodes } from '#contract/routed-codes.ts'
import type { NoticeMessage } from '#app/notices.ts'
import type { BookableSelection } from './booking-request.ts'

/**
 * How the screen reacts to a refused booking. `announced`: the screen has nothing to show, because the portal handles
 * this problem for all screens (API36), or the applicant has left the page before the call was sent (D137).
 */
export type BookingRefusal =
  | { kind: 'announced' }
  /** `reload`: the offered dates or times have changed. */
  | { kind: 'choose-again'; message: NoticeMessage; reload: boolean }
  /** The state of the application forbids a booking now: another page or device may have booked (D129). */
  | { kind: 'wrong-state' }
  /** The appointment may not be changed any more. */
  | { kind: 'change-refused' }

/** Returns the reaction of the screen to a problem of a booking (ERR19–ERR21, ERR23). */
export function bookingRefusal(
  problem: Problem,
  { selection, isChange }: { selection: BookableSelection; isChange: boolean },
): BookingRefusal {
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  if (problem.statusCode === routedCodes.timeTaken)
    return { kind: 'choose-again', message: takenText(selection, problem.message), reload: true }
  if (isChange && problem.status === 409) return { kind: 'change-refused' }
  if (problem.reason === wrongStateReason) return { kind: 'wrong-state' }
  // The text of ERR21 is about a new appointment.
  const key = isChange ? 'notice.generic' : 'notice.scheduleNotReady'
  return { kind: 'choose-again', message: { key }, reload: false }
}

function takenText(selection: BookableSelection, message: string | undefined): NoticeMessage {
  // The general queue is only for offices without a free date (S09).
  if (selection.kind === 'queue') return { key: 'notice.chooseTime' }
  return message === undefined || message.trim() === '' ? { key: 'notice.timeTaken' } : { text: message }
}
