import type { FormValues } from './application.ts'
import { additionalPassport, earliestBirthYear, homeCountry, noNic } from './codes.ts'

/** A paper that an office asks for; its words are in the catalogues of both sides. */
export type Paper = (typeof paperTable)[number]['paper']

/** What decides about the papers (F13). */
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

type Person = PapersCase & { age: number }
type Row = { paper: string; source: string; isAsked: (person: Person) => boolean }

const majorityAge = 21
const identityCardAge = 15
const woman = '11217'

const texts = 'texts of the DGSN on the papers of a file, by the applicant’s category'
const reasons = 'texts of the DGSN on renewal, by its reason'
const missions = 'notices of embassies and consulates'

/**
 * In the order in which an office looks at them. It may ask for more; it does not ask for less. The form does not ask
 * who is married: what only married people bring is asked of everybody who may be, and its words say so.
 */
const paperTable = [
  { paper: 'receipt', source: 'FIN02', isAsked: () => true },
  { paper: 'birthCertificate', source: texts, isAsked: () => true },
  {
    paper: 'identityCard',
    source: texts,
    // Without an answer an old application is told to bring the card, as everybody is.
    isAsked: ({ age, selectNic }) => age >= identityCardAge && selectNic !== noNic,
  },
  {
    // Asked for, and the applicant has said that there is none.
    paper: 'identityCardMissing',
    source: texts,
    isAsked: ({ age, selectNic }) => age >= identityCardAge && selectNic === noNic,
  },
  { paper: 'parentalConsent', source: texts, isAsked: ({ age }) => age < majorityAge },
  { paper: 'parentIdentityCard', source: texts, isAsked: ({ age }) => age < majorityAge },
  {
    // The texts name the emancipated minor as a category of its own and not what proves it: the office is to be asked.
    paper: 'emancipationProof',
    source: `${texts}; inferred`,
    isAsked: ({ age }) => age >= identityCardAge && age < majorityAge,
  },
  { paper: 'occupationProof', source: texts, isAsked: () => true },
  {
    paper: 'marriageCertificate',
    source: texts,
    isAsked: ({ age, gender }) => age >= majorityAge && gender === woman,
  },
  { paper: 'lossCertificate', source: reasons, isAsked: ({ reason }) => reason === '11214' },
  { paper: 'theftReport', source: reasons, isAsked: ({ reason }) => reason === '11280' },
  {
    paper: 'previousPassport',
    source: reasons,
    isAsked: isOneOf('11212', '11281', '11282', '11283', '11284', '11285', additionalPassport),
  },
  { paper: 'damageDeclaration', source: reasons, isAsked: ({ reason }) => reason === '11281' },
  { paper: 'civilStatusProof', source: reasons, isAsked: isOneOf('11282', '11283', '11284') },
  { paper: 'consularCard', source: missions, isAsked: ({ officeCountry }) => officeCountry !== homeCountry },
  {
    paper: 'residencePermit',
    source: missions,
    isAsked: ({ officeCountry }) => officeCountry !== homeCountry,
  },
] as const satisfies Row[]

export const papers: readonly Paper[] = paperTable.map(({ paper }) => paper)

export function papersToBring(applicant: PapersCase): Paper[] {
  const person = { ...applicant, age: ageOn(applicant.day, applicant) }
  return paperTable.filter(({ isAsked }) => isAsked(person)).map(({ paper }) => paper)
}

type PapersForm = Pick<
  FormValues,
  'reason' | 'gender' | 'yearOfBirth' | 'monthOfBirth' | 'dayOfBirth' | 'dateOfBirthUnknown' | 'selectNic'
>

/** The papers for a form as it was filled in, on a day, at an office in a country. */
export function papersOfForm(
  { monthOfBirth, dayOfBirth, dateOfBirthUnknown, ...form }: PapersForm,
  { day, officeCountry }: Pick<PapersCase, 'day' | 'officeCountry'>,
): Paper[] {
  return papersToBring({
    reason: form.reason,
    gender: form.gender,
    yearOfBirth: readBirthYear(form),
    birthday: dateOfBirthUnknown ? undefined : { month: Number(monthOfBirth), day: Number(dayOfBirth) },
    day,
    officeCountry,
    selectNic: form.selectNic,
  })
}

/** A receipt must come out even of an old application whose year cannot be read. */
export function readBirthYear({ yearOfBirth }: Pick<FormValues, 'yearOfBirth'>): number {
  return /^\d{4}$/.test(yearOfBirth) ? Number(yearOfBirth) : earliestBirthYear
}

function isOneOf(...asking: string[]): Row['isAsked'] {
  return ({ reason }) => asking.includes(reason)
}

function ageOn(day: string, { yearOfBirth, birthday }: PapersCase): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const years = year - yearOfBirth
  if (birthday === undefined) return years
  const reached = month > birthday.month || (month === birthday.month && date >= birthday.day)
  return reached ? years : years - 1
}
