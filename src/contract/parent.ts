import { birthIssues } from './birth.ts'
import { genders, otherOccupation } from './codes.ts'
import { dateIssue } from './date-issue.ts'
import { choice, dateText, dictionaryId, flag, isBlank, name, text } from './fields.ts'
import type { Issue } from './issues.ts'
import { placeIssues } from './place.ts'

/** The Parent tab (PAR04). */
export const parentFields = {
  motherGivenName: name(),
  motherSurname: name(),
  fatherGivenName: name(),
  fatherSurname: name(),
  addReprData: choice(['YES', 'NO']),
}

/**
 * The fields of the representative; hidden unless addReprData is YES (REP01, REP14). `reprPlaceOfBirth` is the country of
 * birth.
 */
export const representativeFields = {
  reprGivenName: name(),
  reprSurname: name(),
  reprGender: choice(genders),
  reprDayOfBirth: text(8),
  reprMonthOfBirth: text(8),
  reprYearOfBirth: text(8),
  reprDateOfBirthUnknown: flag(),
  reprPlaceOfBirth: dictionaryId(),
  reprCountryOfResidence: dictionaryId(),
  reprOccupation: dictionaryId(),
  reprOtherOccupation: text(26),
  reprNicNumber: text(50),
  reprNicDateOfIssuance: dateText(),
  reprNicDateOfExpiry: dateText(),
  reprNicPlaceOfIssuance: text(100),
  reprRegionCode: dictionaryId(),
  reprDepartmentCode: dictionaryId(),
  reprLocalityId: dictionaryId(),
  reprCity: text(26),
}

type ParentName = keyof typeof parentFields
type RepresentativeName = keyof typeof representativeFields
type RepresentativeText = Exclude<RepresentativeName, 'reprDateOfBirthUnknown'>
export type ParentValues = Record<ParentName | RepresentativeText, string> & {
  reprDateOfBirthUnknown: boolean
}

export const representativeBirthPlace = {
  country: 'reprPlaceOfBirth',
  region: 'reprRegionCode',
  department: 'reprDepartmentCode',
  locality: 'reprLocalityId',
  city: 'reprCity',
} as const satisfies Record<string, RepresentativeText>

export const representativeBirthDate = {
  day: 'reprDayOfBirth',
  month: 'reprMonthOfBirth',
  year: 'reprYearOfBirth',
} as const satisfies Record<string, RepresentativeText>

type AnyName = ParentName | RepresentativeName

export function parentIssues(values: ParentValues, today: string): Issue<AnyName>[] {
  const required = (['motherSurname', 'addReprData'] as const)
    .filter(field => isBlank(values[field]))
    .map(field => ({ field, code: 'required' as const }))
  return values.addReprData === 'YES' ? [...required, ...representativeIssues(values, today)] : required
}

function representativeIssues(values: ParentValues, today: string): Issue<AnyName>[] {
  const issues: Issue<AnyName>[] = (['reprSurname', 'reprGender', 'reprCountryOfResidence'] as const)
    .filter(field => isBlank(values[field]))
    .map(field => ({ field, code: 'required' }))
  if (values.reprOccupation === otherOccupation && isBlank(values.reprOtherOccupation))
    issues.push({ field: 'reprOtherOccupation', code: 'required' })
  return [
    ...issues,
    ...birthIssues<RepresentativeText>(values, representativeBirthDate, {
      unknown: values.reprDateOfBirthUnknown,
      today,
    }),
    ...placeIssues<RepresentativeText>(values, representativeBirthPlace),
    ...representativeNicIssues(values, today),
  ]
}

/** REP09–REP12. Equal dates are an issue here, but not on the Documents tab (S03). */
function representativeNicIssues(values: ParentValues, today: string): Issue<AnyName>[] {
  if (isBlank(values.reprNicNumber)) return []
  const issuance = dateIssue(values.reprNicDateOfIssuance)
  const expiry = dateIssue(values.reprNicDateOfExpiry)
  const issues: Issue<AnyName>[] = []
  if (issuance) issues.push({ field: 'reprNicDateOfIssuance', code: issuance })
  else if (values.reprNicDateOfIssuance > today)
    issues.push({ field: 'reprNicDateOfIssuance', code: 'date-in-future' })
  if (expiry) issues.push({ field: 'reprNicDateOfExpiry', code: expiry })
  else if (!issuance && values.reprNicDateOfExpiry <= values.reprNicDateOfIssuance)
    issues.push({ field: 'reprNicDateOfExpiry', code: 'expiry-before-issuance' })
  else if (values.reprNicDateOfExpiry < today)
    issues.push({ field: 'reprNicDateOfExpiry', code: 'expiry-past' })
  return issues
}
