import { choiceCases } from './choice-cases.ts'
import { contactCases } from './contact-cases.ts'
import { dateCases } from './date-cases.ts'
import type { FormCase } from './form-case.ts'
import { limitCases } from './limit-cases.ts'
import { requiredCases } from './required-cases.ts'

/** The rules of the form at their limits. The tests of the schema and of the server use the same list. */
export const formCases: FormCase[] = [
  ...choiceCases,
  ...requiredCases,
  ...limitCases,
  ...contactCases,
  ...dateCases,
]
