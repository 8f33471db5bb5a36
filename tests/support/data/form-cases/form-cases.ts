import { choiceCases } from './choice-cases.ts'
import { contactCases } from './contact-cases.ts'
import { dateCases } from './date-cases.ts'
import type { FormCase } from './form-case.ts'
import { limitCases } from './limit-cases.ts'
import { requiredCases } from './required-cases.ts'

/** Forms that the rules accept or refuse. The tests of the schema and of the server use the same list. */
export const formCases: FormCase[] = [
  ...choiceCases,
  ...requiredCases,
  ...limitCases,
  ...contactCases,
  ...dateCases,
]
