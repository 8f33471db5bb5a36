import * as z from 'zod/mini'
import {
  clearHidden,
  Draft,
  type FieldName,
  fieldNames,
  findIssues,
  fromWire,
} from '#contract/application.ts'
import type { FormValues, RuleContext } from '#contract/application.ts'
import { noOccupation } from '#contract/codes.ts'
import { type Issue, toIssueCode } from '#contract/issues.ts'
import { isHome } from '#contract/place.ts'
import { countryName, type HomePlace, occupationLabel, unknownPart } from '#server/features/dictionary.ts'
import type { Caller } from '#server/http/call.ts'
import { type FormPlace, formPlaces, homePlace } from './form-place.ts'
import { lockedBy, provenFields } from './proven-contact.ts'

export type CheckedForm =
  | { kind: 'form'; values: FormValues }
  | { kind: 'faults'; issues: Issue<FieldName>[] }

const countryFields = [
  'placeOfBirth',
  'resAddressCountry',
  'reprPlaceOfBirth',
  'reprCountryOfResidence',
] as const
const occupationFields = ['occupation', 'reprOccupation'] as const

type Standing = { caller: Pick<Caller, 'msisdn' | 'email'>; today: string }

/** A complete form as it travels: every rule held, every id out of a list, nothing in fields without meaning. */
export function checkForm(body: Record<string, unknown>, { caller, today }: Standing): CheckedForm {
  return checkComplete(withProven(body, caller), { today, locked: lockedBy(caller) })
}

/** A form that may be incomplete: types and lengths hold (D14). */
export function checkDraft(body: Record<string, unknown>, { caller }: Pick<Standing, 'caller'>): CheckedForm {
  return checkTypes(withProven(body, caller))
}

function withProven(body: Record<string, unknown>, caller: Standing['caller']): Record<string, unknown> {
  return { ...fromWire(body), ...provenFields(caller) }
}

function checkTypes(body: unknown): CheckedForm {
  const draft = z.safeParse(Draft, body)
  if (!draft.success) return { kind: 'faults', issues: issuesOf(draft.error) }
  const unstorable = unstorableFields(draft.data)
  return unstorable.length === 0
    ? { kind: 'form', values: draft.data }
    : { kind: 'faults', issues: unstorable.map(field => ({ field, code: 'not-valid' })) }
}

function checkComplete(body: unknown, context: RuleContext): CheckedForm {
  const draft = checkTypes(body)
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
