import { earliestBirthYear } from './codes.ts'

/** Whether the rules of a date accept the past, the future, or the days since the earliest birth. Today is in each. */
const kinds = {
  dateOfBirth: 'birth',
  reprDateOfBirth: 'birth',
  nicDateOfIssuance: 'past',
  nicDateOfExpiry: 'future',
  reprNicDateOfIssuance: 'past',
  reprNicDateOfExpiry: 'future',
  eppDateOfIssuance: 'past',
} as const satisfies Record<string, 'birth' | 'past' | 'future'>

export type LimitedDate = keyof typeof kinds

/** The first and the last day that a calendar offers, YYYY-MM-DD (PER06, DOC10, DOC11). */
export function dateLimits(name: LimitedDate, today: string): { min?: string; max?: string } {
  switch (kinds[name]) {
    case 'birth':
      return { min: `${earliestBirthYear}-01-01`, max: today }
    case 'past':
      return { max: today }
    case 'future':
      return { min: today }
  }
}
