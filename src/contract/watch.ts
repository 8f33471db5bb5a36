import * as z from 'zod/mini'

/** Highest number of notifications for one watch (F10). */
export const maxNotifications = 3

/** The portal offers a watch when there is no free date, or the first one is at least this many days away. */
export const lateAfterDays = 14

/** An applicant's request for a notification when a place becomes free at an office. */
export const Watch = z.object({
  officeId: z.string(),
  office: z.string(),
  /** Notify only about days before this day, YYYY-MM-DD; null means any day. */
  before: z.nullable(z.string()),
  /** Number of notifications so far. */
  told: z.number(),
})
export type Watch = z.output<typeof Watch>

export const WatchAnswer = z.object({ watch: z.nullable(Watch) })

export const WatchRequest = z.object({
  officeId: z.pipe(
    z.union([z.string().check(z.maxLength(40)), z.number()]),
    z.transform(value => String(value)),
  ),
})
