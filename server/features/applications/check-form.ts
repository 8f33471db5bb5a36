import * as z from 'zod/mini'
import { clearHidden, Draft, type FieldName, fieldNames, findIssues } from '#contract/application.ts'
import type { FormValues, RuleContext } from '#contract/application.ts'
import { noOccupation } from '#contract/codes.ts'
import { type Issue, toIssueCode } from '#contract/issues.ts'
import { isHome } from '#contract/place.ts'
import { countryName, type HomePlace, occupationLabel, unknownPart } from '#server/features/dictionary.ts'
import { type FormPlace, formPlaces, homePlace } from './form-place.ts'

export type CheckedForm =
  | { kind: 'form'; values: FormValues }
  | { kind: 'faults'; issues: Issue<FieldName>[] }

const countryFields = ['placeOfBirth', 'resAddressCountry', 'reprPlaceOfBirth', 'reprCountryOfResidence'] as const
const occupationFields = ['occupation', 'reprOccupation'] as const

/** A form that may be incomplete: types and lengths hold (D14). */
export function checkDraft(body: unknown): CheckedForm {
  const draft = z.safeParse(Draft, body)
  if (!draft.success) return { kind: 'faults', issues: issuesOf(draft.error) }
  const unstorable = unstorableFields(draft.data)
  return unstorable.length === 0
    ? { kind: 'form', values: draft.data }
    : { kind: 'faults', issues: unstorable.map(field => ({ field, code: 'not-valid' })) }
}

/** A complete form: every rule held, every id out of a list, nothing in fields that have no meaning. */
export function checkComplete(body: unknown, context: RuleContext): CheckedForm {
  const draft = checkDraft(body)
  const values = draft.kind === 'form' ? clearHidden(draft.values) : undefined
  const found = [
    ...(draft.kind === 'faults' ? draft.issues : []),
    ...findIssues(body, context),
    ...(values ? unlistedFields(values).map(field => ({ field, code: 'not-in-list' as const })) : []),
  ]
  const issues = fieldNames.flatMap(name => found.find(({ field }) => field === name) ?? [])
  return values && issues.length === 0 ? { kind: 'form', values } : { kind: 'faults', issues }
}

function issuesOf(error: z.core.$ZodError): Issue<FieldName>[] {
  return fieldNames.flatMap(field => {
    const issue = error.issues.find(({ path }) => path[0] === field)
    return issue ? { field, code: toIssueCode(issue.message) } : []
  })
}

/** PostgreSQL's jsonb takes neither a null character nor half a surrogate pair. */
function unstorableFields(values: FormValues): FieldName[] {
  return fieldNames.filter(field => {
    const value = values[field]
    return typeof value === 'string' && (value.includes('\0') || /\p{Surrogate}/u.test(value))
  })
}

/** Ids that the contract lets pass and no dictionary holds. */
function unlistedFields(values: FormValues): FieldName[] {
  return [
    ...countryFields.filter(field => values[field] !== '' && countryName(values[field], 'fr') === undefined),
    ...occupationFields.filter(field => occupationLabel(values[field] || noOccupation, 'fr') === undefined),
    ...formPlaces.flatMap(place => {
      if (!isHome(values[place.country])) return []
      const part = unknownPart(homePlace(values, place))
      return part ? partFields(place)[part] : []
    }),
  ]
}

function partFields(place: FormPlace): Record<keyof HomePlace, FieldName> {
  return { regionCode: place.region, departmentCode: place.department, localityId: place.locality }
}
