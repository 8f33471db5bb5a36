import { homeCountry, noNic } from '#contract/codes.ts'

export type Paper =
  | 'receipt'
  | 'birthCertificate'
  | 'identityCard'
  /** Asked for, and the applicant has said that there is none. */
  | 'identityCardMissing'
  | 'occupationProof'
  | 'parentalConsent'
  | 'parentIdentityCard'
  | 'marriageCertificate'
  | 'previousPassport'
  | 'lossCertificate'
  | 'theftReport'
  | 'damageDeclaration'
  | 'civilStatusProof'
  | 'consularCard'
  | 'residencePermit'

export type PapersCase = {
  reason: string
  gender: string
  yearOfBirth: number
  /** Undefined when only the year is known. */
  birthday: { month: number; day: number } | undefined
  /** The day of the appointment, or today in the general queue; `YYYY-MM-DD`. */
  day: string
  officeCountry: string
  /** The answer on the Documents tab (DOC01). */
  selectNic: string
}

/** What an office asks for, in the order in which it looks at it. It may ask for more; it does not ask for less. */
export function papersToBring(applicant: PapersCase): Paper[] {
  const age = ageOn(applicant.day, applicant)
  const minor = age < majority
  return [
    'receipt',
    'birthCertificate',
    ...(age >= identityCardAge ? ([identityCardOf(applicant)] as const) : []),
    ...(minor ? (['parentalConsent', 'parentIdentityCard'] as const) : []),
    'occupationProof',
    ...(!minor && applicant.gender === female ? (['marriageCertificate'] as const) : []),
    ...papersOfReason(applicant.reason),
    ...(applicant.officeCountry === homeCountry ? [] : (['consularCard', 'residencePermit'] as const)),
  ]
}

const majority = 21
const identityCardAge = 15
const female = '11217'

/** Without an answer an old application is told to bring the card, as everybody is. */
function identityCardOf({ selectNic }: PapersCase): 'identityCard' | 'identityCardMissing' {
  return selectNic === noNic ? 'identityCardMissing' : 'identityCard'
}

function papersOfReason(reason: string): Paper[] {
  switch (reason) {
    case '11214':
      return ['lossCertificate']
    case '11280':
      return ['theftReport']
    case '11281':
      return ['previousPassport', 'damageDeclaration']
    case '11212':
    case '11285':
    case '11286':
      return ['previousPassport']
    case '11282':
    case '11283':
    case '11284':
      return ['previousPassport', 'civilStatusProof']
    default:
      return []
  }
}

function ageOn(day: string, { yearOfBirth, birthday }: PapersCase): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const years = year - yearOfBirth
  if (birthday === undefined) return years
  const reached = month > birthday.month || (month === birthday.month && date >= birthday.day)
  return reached ? years : years - 1
}
