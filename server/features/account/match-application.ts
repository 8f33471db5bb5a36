import type { FormValues } from '#contract/application.ts'
import type { Birth } from '#contract/dormant.ts'
import type { Services } from '#server/calls/services.ts'
import { isEqualConstantTime } from '#server/crypto/constant-time-equal.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'

/**
 * Whether an application of the account has this number and this date of birth. Reads and compares all applications in any
 * case, so that the time does not reveal which part is right.
 */
export async function hasMatchingApplication(
  services: Services,
  applicantId: string,
  { applicationNumber, birth }: { applicationNumber: string; birth: Birth },
): Promise<boolean> {
  const rows = await services.db
    .selectFrom('application')
    .select(['id', 'number', 'data'])
    .where('applicant_id', '=', applicantId)
    .execute()
  const matches = rows.map(row => {
    const application = { number: row.number, form: decryptForm(services, row) }
    return matchesApplication(application, { applicationNumber, birth })
  })
  return matches.includes(true)
}

type Birthday = Pick<FormValues, 'dayOfBirth' | 'monthOfBirth' | 'yearOfBirth' | 'dateOfBirthUnknown'>

/** Whether an application has this number and this date of birth. One without a year of birth never matches. */
export function matchesApplication(
  { number, form }: { number: string; form: Birthday },
  { applicationNumber, birth }: { applicationNumber: string; birth: Birth },
): boolean {
  const hasNumber = isEqualConstantTime(lettersAndDigitsOf(number), lettersAndDigitsOf(applicationNumber))
  const hasBirth = isEqualConstantTime(birthOf(form), writeBirth(form, birth))
  return hasNumber && hasBirth && form.yearOfBirth !== ''
}

/** The letters and digits of an application number, however it was typed. */
function lettersAndDigitsOf(number: string): string {
  return number.toUpperCase().replaceAll(/[^\dA-Z]/g, '')
}

function birthOf(form: Birthday): string {
  return writeBirth(form, { day: form.dayOfBirth, month: form.monthOfBirth, year: form.yearOfBirth })
}

/** The year alone when the form says that the date is unknown. */
function writeBirth(form: Birthday, { day, month, year }: Birth): string {
  const parts = form.dateOfBirthUnknown ? [year] : [day, month, year]
  return parts.map(part => part.trim().replace(/^0+(?=\d)/, '')).join('-')
}
