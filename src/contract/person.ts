import { birthIssues } from './birth.ts'
import { genders, otherOccupation } from './codes.ts'
import { looksLikeEmail } from './email.ts'
import {
  choice,
  dialCodeDigits,
  dictionaryId,
  digits,
  flag,
  isBlank,
  name,
  text,
  trimmedText,
} from './fields.ts'
import type { Issue } from './issues.ts'
import { phoneIssue, normaliseSubscriber } from './phone.ts'
import { isPremiumNumber } from './premium-numbers.ts'
import { placeIssues } from './place.ts'

/** The Person tab (PER22). `placeOfBirth` is the country of birth; the place fields without a prefix are of the birthplace. */
export const personFields = {
  givenName: name(),
  surname: name(),
  gender: choice(genders),
  dayOfBirth: text(8),
  monthOfBirth: text(8),
  yearOfBirth: text(8),
  dateOfBirthUnknown: flag(),
  placeOfBirth: dictionaryId(),
  phoneNumber: digits(),
  dialCode: dialCodeDigits(),
  email: trimmedText(50),
  occupation: dictionaryId(),
  otherOccupation: text(26),
  regionCode: dictionaryId(),
  departmentCode: dictionaryId(),
  localityId: dictionaryId(),
  city: text(26),
  resAddressCountry: dictionaryId(),
  resAddressRegionCode: dictionaryId(),
  resAddressDepartmentCode: dictionaryId(),
  resAddressLocalityId: dictionaryId(),
  resAddressCity: text(26),
  resAddressStreet: text(80),
}
export type PersonName = keyof typeof personFields
type PersonText = Exclude<PersonName, 'dateOfBirthUnknown'>
export type PersonValues = Record<PersonText, string> & { dateOfBirthUnknown: boolean }

export const birthPlace = {
  country: 'placeOfBirth',
  region: 'regionCode',
  department: 'departmentCode',
  locality: 'localityId',
  city: 'city',
} as const satisfies Record<string, PersonText>

export const residence = {
  country: 'resAddressCountry',
  region: 'resAddressRegionCode',
  department: 'resAddressDepartmentCode',
  locality: 'resAddressLocalityId',
  city: 'resAddressCity',
} as const satisfies Record<string, PersonText>

export const birthDate = {
  day: 'dayOfBirth',
  month: 'monthOfBirth',
  year: 'yearOfBirth',
} as const satisfies Record<string, PersonText>

/** Which contacts the account has proven: their fields are read-only and never have an issue (PER14, S04). */
export type VerifiedFields = { phoneNumber: boolean; email: boolean }

export function personIssues(
  values: PersonValues,
  context: { today: string; verified: VerifiedFields },
): Issue<PersonName>[] {
  return [
    ...(['surname', 'gender', 'resAddressStreet'] as const)
      .filter(field => isBlank(values[field]))
      .map(field => ({ field, code: 'required' as const })),
    ...birthIssues<PersonText>(values, birthDate, {
      unknown: values.dateOfBirthUnknown,
      today: context.today,
    }),
    ...placeIssues<PersonText>(values, birthPlace),
    ...contactIssues(values, context.verified),
    ...otherOccupationIssues(values),
    ...placeIssues<PersonText>(values, residence),
  ]
}

function contactIssues(values: PersonValues, verified: VerifiedFields): Issue<PersonName>[] {
  const issues: Issue<PersonName>[] = []
  if (!verified.phoneNumber) {
    // Checks the number as it is sent (S42): a leading zero that is removed does not count.
    const subscriber = normaliseSubscriber(values.dialCode, values.phoneNumber)
    if (subscriber === '') issues.push({ field: 'phoneNumber', code: 'required' })
    else if (isBlank(values.dialCode)) issues.push({ field: 'dialCode', code: 'required' })
    else {
      const code = phoneIssue(values.dialCode, subscriber)
      if (code) issues.push({ field: 'phoneNumber', code })
      else if (isPremiumNumber(values.dialCode, subscriber))
        issues.push({ field: 'phoneNumber', code: 'phone-premium' })
    }
  }
  if (!verified.email && values.email !== '' && !looksLikeEmail(values.email))
    issues.push({ field: 'email', code: 'email-invalid' })
  return issues
}

function otherOccupationIssues(values: PersonValues): Issue<PersonName>[] {
  if (values.occupation !== otherOccupation || !isBlank(values.otherOccupation)) return []
  return [{ field: 'otherOccupation', code: 'required' }]
}
