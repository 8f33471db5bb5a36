export const stepCount = 5

/** How far the five steps are (NAV15, NAV16, S22): so many finished, and the one that stands open, from 1, if any. */
export type Progress = { finished: number; current: number | undefined }

/** By the first segment of the address; an unknown address is no step (S66). */
const stepOfSegment: Record<string, number> = {
  '': 1,
  mobile: 1,
  mail: 1,
  password: 1,
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
  const current = stepOfSegment[segment]
  return { finished: (current ?? 1) - 1, current }
}

/** While money or a place is at stake, nothing offers to reload the page (D36). */
export function mayOfferUpdate(pathname: string): boolean {
  const step = progressAt(pathname).current
  return step !== 4 && step !== 5
}
