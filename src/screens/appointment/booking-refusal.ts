import { isForTheScreen, type Problem } from '#api/result.ts'
import { routedCodes } from '#contract/problems.ts'
import type { NoticeWords } from '#portal/notices.ts'
import type { BookableWish } from './booking-request.ts'

/** What a refused booking calls for; `announced` was said where every call is watched. */
export type BookingRefusal =
  | { kind: 'announced' }
  /** `reload`: what is offered has changed. */
  | { kind: 'choose-again'; words: NoticeWords; reload: boolean }
  | { kind: 'change-refused' }

/** ERR19–ERR21, ERR23. */
export function bookingRefusal(
  problem: Problem,
  { wish, isChange }: { wish: BookableWish; isChange: boolean },
): BookingRefusal {
  if (!isForTheScreen(problem)) return { kind: 'announced' }
  if (problem.statusCode === routedCodes.timeTaken)
    return { kind: 'choose-again', words: takenWords(wish, problem.message), reload: true }
  if (isChange && problem.status === 409) return { kind: 'change-refused' }
  return { kind: 'choose-again', words: { key: 'notice.scheduleNotReady' }, reload: false }
}

function takenWords(wish: BookableWish, message: string | undefined): NoticeWords {
  if (wish.kind === 'queue') return { key: 'notice.chooseTime' }
  return message === undefined || message.trim() === '' ? { key: 'notice.timeTaken' } : { text: message }
}
