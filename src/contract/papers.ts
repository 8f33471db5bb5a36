import type { FormValues } from './application.ts'
import {
  additionalPassport,
  earliestBirthYear,
  homeCountry,
  lostPassport,
  noNic,
  stolenPassport,
} from './codes.ts'

/** A paper that an office requires; its texts are in the catalogues of the portal and of the server. */
export type Paper = (typeof paperTable)[number]['paper']

/** The facts that decide which papers are required (F13). */
export type PapersCase = {
  reason: string
  gender: string
  yearOfBirth: number
  /** Undefined when only the year of birth is known. */
  birthday: { month: number; day: number } | undefined
  /** The day of the appointment, or today in the general queue; `YYYY-MM-DD`. */
  day: string
  officeCountry: string
  /** The answer of the Documents tab (DOC01). */
  selectNic: string
}

type Person = PapersCase & { age: number }
type Row = { paper: string; isRequired: (person: Person) => boolean }

const majorityAge = 21
const identityCardAge = 15
const woman = '11217'
// Reasons of an application (DIC01).
const expiredPassport = '11212'
const damagedPassport = '11281'
const changedParentage = '11282'
const changedName = '11283'
const correction = '11284'
const visaPagesFull = '11285'

/**
 * The papers in the order in which an office checks them. An office may require more, but not fewer. The form does not
 * ask whether an applicant is married, so the marriage certificate, which a wife brings to carry her husband's name, is
 * listed for every woman of at least `majorityAge`; its text says that only a married applicant needs it.
 */
const paperTable = [
  // From FIN02.
  { paper: 'receipt', isRequired: () => true },
  // From the texts of the DGSN on the papers of a file, by the applicant’s category.
  { paper: 'birthCertificate', isRequired: () => true },
  {
    paper: 'identityCard',
    // An old application may have no answer: then the card is required.
    isRequired: ({ age, selectNic }) => age >= identityCardAge && selectNic !== noNic,
  },
  {
    // The card is required, but the applicant has none: the text says to ask the office.
    paper: 'identityCardMissing',
    isRequired: ({ age, selectNic }) => age >= identityCardAge && selectNic === noNic,
  },
  { paper: 'parentalConsent', isRequired: ({ age }) => age < majorityAge },
  { paper: 'parentIdentityCard', isRequired: ({ age }) => age < majorityAge },
  {
    // Inferred: the texts name emancipated minors as a category, but not their proof. The applicant must ask the office.
    paper: 'emancipationProof',
    isRequired: ({ age }) => age >= identityCardAge && age < majorityAge,
  },
  { paper: 'occupationProof', isRequired: () => true },
  {
    paper: 'marriageCertificate',
    isRequired: ({ age, gender }) => age >= majorityAge && gender === woman,
  },
  // From the texts of the DGSN on renewal, by its reason.
  { paper: 'lossCertificate', isRequired: ({ reason }) => reason === lostPassport },
  { paper: 'theftReport', isRequired: ({ reason }) => reason === stolenPassport },
  {
    paper: 'previousPassport',
    isRequired: isOneOf(
      expiredPassport,
      damagedPassport,
      changedParentage,
      changedName,
      correction,
      visaPagesFull,
      additionalPassport,
    ),
  },
  {
    paper: 'damageDeclaration',
    isRequired: ({ reason }) => reason === damagedPassport,
  },
  {
    paper: 'civilStatusProof',
    isRequired: isOneOf(changedParentage, changedName, correction),
  },
  // From the notices of embassies and consulates.
  {
    paper: 'consularCard',
    isRequired: ({ officeCountry }) => officeCountry !== homeCountry,
  },
  {
    paper: 'residencePermit',
    isRequired: ({ officeCountry }) => officeCountry !== homeCountry,
  },
] as const satisfies Row[]

export const papers: readonly Paper[] = paperTable.map(({ paper }) => paper)

/** Returns the required papers in the order of the table. */
export function papersToBring(applicant: PapersCase): Paper[] {
  const person = { ...applicant, age: ageOn(applicant.day, applicant) }
  return paperTable.filter(({ isRequired }) => isRequired(person)).map(({ paper }) => paper)
}

type PapersForm = Pick<
  FormValues,
  'reason' | 'gender' | 'yearOfBirth' | 'monthOfBirth' | 'dayOfBirth' | 'dateOfBirthUnknown' | 'selectNic'
>

/** Returns the required papers for a form, a day (`YYYY-MM-DD`) and the country of an office. */
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

/**
 * Returns the year of birth, or the earliest year when an old application has none: its receipt needs a year, for its
 * papers and for its signed code.
 */
export function readBirthYear({ yearOfBirth }: Pick<FormValues, 'yearOfBirth'>): number {
  return /^\d{4}$/.test(yearOfBirth) ? Number(yearOfBirth) : earliestBirthYear
}

function isOneOf(...reasons: string[]): Row['isRequired'] {
  return ({ reason }) => reasons.includes(reason)
}

function ageOn(day: string, { yearOfBirth, birthday }: PapersCase): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const years = year - yearOfBirth
  if (birthday === undefined) return years
  const hadBirthday = month > birthday.month || (month === birthday.month && date >= birthday.day)
  return hadBirthday ? years : years - 1
}
