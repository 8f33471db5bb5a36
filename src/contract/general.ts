import { reasons } from './codes.ts'
import { choice, isBlank, text } from './fields.ts'
import type { Issue } from './issues.ts'

/** The General tab (GEN06). */
export const generalFields = {
  reason: choice(reasons),
  travelDestination: text(100),
  reasonForTravel: text(100),
  languagePref: text(26),
}
export type GeneralName = keyof typeof generalFields

export function generalIssues(values: Record<GeneralName, string>): Issue<GeneralName>[] {
  return (['reason', 'travelDestination', 'reasonForTravel'] as const)
    .filter(field => isBlank(values[field]))
    .map(field => ({ field, code: 'required' }))
}
