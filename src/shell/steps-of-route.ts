export const stepCount = 5

/** How far the five steps are (NAV15, NAV16, S22): so many finished, and the one that stands open, from 1. */
export type Progress = { finished: number; current: number | undefined }

/** By the first segment of the address; anything else stands before sign-in. */
const stepOfSegment: Record<string, number> = {
  procedure: 2,
  form: 2,
  confirm: 3,
  payment: 4,
  cardPayment: 4,
  payOtp: 4,
  payResult: 4,
  appointment: 5,
  schedule: 5,
}

export function progressAt(pathname: string): Progress {
  const segment = pathname.split('/')[1] ?? ''
  if (segment === 'final') return { finished: stepCount, current: undefined }
  const current = stepOfSegment[segment] ?? 1
  return { finished: current - 1, current }
}

/** While money or a place is at stake, nothing offers to reload the page (D36). */
export function mayOfferUpdate(pathname: string): boolean {
  const step = progressAt(pathname).current
  return step !== 4 && step !== 5
}
