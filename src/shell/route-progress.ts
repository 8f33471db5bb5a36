export const stepCount = 5

/**
 * Progress in the five steps (NAV15, NAV16, S22): the number of finished steps, and the number of the current step, if
 * any, counted from 1.
 */
export type Progress = { finished: number; current: number | undefined }

/**
 * The step of each first path segment. At `/final` all steps are finished. The other addresses have no step, for
 * example the list of all applications, the check of a receipt and an unknown address (S22, S66).
 */
const stepOfSegment = new Map([
  ['', 1],
  ['mobile', 1],
  ['mail', 1],
  ['password', 1],
  ['form', 2],
  ['confirm', 3],
  ['payment', 4],
  ['cardPayment', 4],
  ['payOtp', 4],
  ['payResult', 4],
  ['appointment', 5],
  ['schedule', 5],
])

export function progressAt(pathname: string): Progress {
  const segment = pathname.split('/')[1] ?? ''
  if (segment === 'final') return { finished: stepCount, current: undefined }
  const current = stepOfSegment.get(segment)
  return { finished: (current ?? 1) - 1, current }
}

/** Whether the portal may offer a reload: not during payment and booking, which a reload would interrupt (D36). */
export function mayOfferUpdate(pathname: string): boolean {
  const step = progressAt(pathname).current
  return step !== 4 && step !== 5
}
