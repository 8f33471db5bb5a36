import { joinDayAndTime } from '#contract/appointment.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Wish } from './choice.ts'

export type BookableWish = Extract<Wish, { kind: 'queue' | 'time' }>

/** The four keys of a booking and of a change (APT15, APT16, S32); the office's own time, never converted (S44). */
export function bookingRequest(applicationId: ApplicationId, wish: BookableWish) {
  const { officeId } = wish
  if (wish.kind === 'queue') return { applicationId, officeId, appointmentDate: null, generalQueue: true }
  const appointmentDate = joinDayAndTime(wish.date, wish.time)
  return { applicationId, officeId, appointmentDate, generalQueue: false }
}
