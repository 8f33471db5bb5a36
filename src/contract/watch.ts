import * as z from 'zod/mini'

/** How often one watch tells at most (F10). */
export const maxNotifications = 3

/** A first date so many days away is a late one: whoever gets it may want to be told of an earlier. */
export const lateAfterDays = 14

/** An applicant who wants to be told when a place opens at an office. */
export const Watch = z.object({
  officeId: z.string(),
  office: z.string(),
  /** Told of days before this one, YYYY-MM-DD; of any day when there is none. */
  before: z.nullable(z.string()),
  /** How often so far. */
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
