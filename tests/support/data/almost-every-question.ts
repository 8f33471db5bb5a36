import type { FormValues } from '#contract/application.ts'
import { minorWithRepresentative, renewalBornAbroad } from './applicants.ts'

/**
 * Answers with which the form asks almost every question, also the questions about a representative, a NIC and a previous
 * passport. A place is asked in lists or as a city, never both: here the applicant was born abroad, and the other places are
 * in Cameroon.
 */
export const almostEveryQuestion: FormValues = {
  ...renewalBornAbroad,
  ...representativeOf(minorWithRepresentative),
  regionCode: '',
  selectNic: '3',
  nicNumber: '109876543',
  nicPlaceOfIssuance: 'Garoua',
  nicDateOfIssuance: '2018-11-30',
  nicDateOfExpiry: '2088-11-30',
}

function representativeOf(form: FormValues): Partial<FormValues> {
  return Object.fromEntries(Object.entries(form).filter(([name]) => /^repr|^addRepr/.test(name)))
}
