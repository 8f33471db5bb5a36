import * as z from 'zod/mini'
import { ContactBody, LoginBody } from './session.ts'

/**
 * An account is dormant for a contact that no code has proven for more than this many calendar months: since the same
 * day and time of day of the year before, in UTC and by the clock of the server. From then on a code to this contact
 * alone does not open the account, because the operator may have given the number to another person (D122).
 */
export const dormantMonths = 12

/** How long the question of a dormant account can be answered after the right code. */
export const dormantMinutes = 15

/**
 * How many tries with an application number and a date of birth each contact of an account has in one calendar day, in
 * UTC.
 */
export const dormantTriesPerDay = 5

/**
 * How many of these tries each contact has in `dormantPeriodDays` days. The limit is low, because a year of birth has
 * only about seventy likely values.
 */
export const dormantTriesPerPeriod = 10
export const dormantPeriodDays = 90

/**
 * Data of the refusal `answer-wrong`. `triesLeft`: the smaller of the remaining tries of today and of the 90 days.
 * `spent`: the limit that is used up; an older server does not say which.
 */
export const DormantTries = z.object({
  triesLeft: z.number(),
  spent: z.optional(z.enum(['day', 'period'])),
})
export type DormantTries = z.output<typeof DormantTries>

/** The feature of a server that asks a question before it opens a dormant account (D5). */
export const dormantFeature = 'dormantAccounts'

/**
 * `ticket`: a secret of this browser that names the question. `proven`: which kind of contact the code has proven.
 * Neither says anything about the account.
 */
export const DormantQuestion = z.object({ ticket: z.string(), proven: z.enum(['phone', 'email']) })
export type DormantQuestion = z.output<typeof DormantQuestion>

const ticket = z.string().check(z.maxLength(100))

/** A date of birth as the form has it; the year alone when the day is not known. */
const Birth = z.object({
  day: z.string().check(z.maxLength(10)),
  month: z.string().check(z.maxLength(10)),
  year: z.string().check(z.maxLength(10)),
})
export type Birth = z.output<typeof Birth>

/** Asks for a code to the other contact of the account. */
export const DormantCodeBody = z.extend(ContactBody, { ticket })

/** The three answers: two open the account, and one leaves it and opens a new one. */
export const DormantAnswer = z.union([
  z.object({
    kind: z.literal('application'),
    applicationNumber: z.string().check(z.maxLength(40)),
    birth: Birth,
  }),
  z.extend(LoginBody, { kind: z.literal('contact') }),
  z.object({ kind: z.literal('start-again') }),
])
export type DormantAnswer = z.output<typeof DormantAnswer>

export const DormantAnswerBody = z.object({ ticket, answer: DormantAnswer })
