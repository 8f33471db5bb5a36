import type { FormValues } from '#contract/application.ts'
import { minorWithRepresentative, renewalAbroad } from './applicants.ts'

/** Answers that make every question of the form visible. */
export const everyQuestion: FormValues = {
  ...renewalAbroad,
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
