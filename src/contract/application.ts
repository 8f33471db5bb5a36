import * as z from 'zod/mini'
import {
  defaultGender,
  defaultLanguagePreference,
  firstPassport,
  homeCountry,
  homeDialCode,
  otherOccupation,
} from './codes.ts'
import { documentsFields, documentsIssues, hasNic, previousPassport } from './documents.ts'
import { asText, flag, isBlank, text } from './fields.ts'
import { generalFields, generalIssues } from './general.ts'
import type { Issue } from './issues.ts'
import { toIssueCode } from './issues.ts'
import { parentFields, parentIssues, representativeBirthPlace, representativeFields } from './parent.ts'
import type { VerifiedFields } from './person.ts'
import { birthPlace, personFields, personIssues, residence } from './person.ts'
import { normaliseSubscriber, toMsisdn, withoutSeparators } from './phone.ts'
import { hiddenPlaceFields } from './place.ts'

/** Names of the tabs as in the URL (NAV05), in their order (FRM01). */
export const tabs = ['GeneralData', 'PersonData', 'ParentData', 'NicData'] as const
export type Tab = (typeof tabs)[number]

const formFields = {
  ...generalFields,
  ...personFields,
  ...parentFields,
  ...representativeFields,
  ...documentsFields,
}
export type FieldName = keyof typeof formFields

export const fieldNames = Object.keys(formFields) as FieldName[] // the keys of the literal above
const flagNames = ['dateOfBirthUnknown', 'reprDateOfBirthUnknown'] as const
export type TextFieldName = Exclude<FieldName, (typeof flagNames)[number]>

export const fieldsOfTab = {
  GeneralData: Object.keys(generalFields),
  PersonData: Object.keys(personFields),
  ParentData: [...Object.keys(parentFields), ...Object.keys(representativeFields)],
  NicData: Object.keys(documentsFields),
} as Record<Tab, FieldName[]> // each list is the keys of one part of formFields

export function tabOfField(field: string): Tab {
  return tabs.find(tab => fieldsOfTab[tab].some(name => name === field)) ?? 'GeneralData'
}

/** An application that may be incomplete: checks each field by itself, but not required fields (D14). */
export const Draft = z.object(formFields)
export type FormValues = z.output<typeof Draft>

/** The input of the rules beside the values. `today` is YYYY-MM-DD in Cameroon. */
export type RuleContext = {
  today: string
  verified: VerifiedFields
  /**
   * Returns the fields whose id is in no dictionary, or belongs to another region or department. Only the server has all
   * dictionaries, so only it sets this.
   */
  unlistedFields?: (values: FormValues) => FieldName[]
}

/** Schema of a complete application: clears hidden fields (S72), then checks every rule of the form. */
export function completeApplication(context: RuleContext) {
  return z.pipe(
    z.transform(given => readAnswers(given, context.verified)),
    // A verified e-mail address is read-only, so a fault in it could not be corrected (S04).
    z.object(context.verified.email ? { ...formFields, email: asText } : formFields).check(payload => {
      for (const issue of ruleIssues(payload.value, context))
        payload.issues.push({
          code: 'custom',
          message: issue.code,
          path: [issue.field],
          input: payload.value[issue.field],
          continue: true,
        })
    }),
  )
}

export type CheckedForm =
  | { kind: 'form'; values: FormValues }
  | { kind: 'faults'; issues: Issue<FieldName>[] }

/** Parses a form with a schema. On failure returns the first issue of each field, in the order of `fieldNames`. */
export function checkAnswers(
  schema: typeof Draft | ReturnType<typeof completeApplication>,
  answers: unknown,
): CheckedForm {
  const result = z.safeParse(schema, answers)
  if (result.success) return { kind: 'form', values: result.data }
  const { issues } = result.error
  return {
    kind: 'faults',
    issues: fieldNames.flatMap(field => {
      const issue = issues.find(({ path }) => path[0] === field)
      return issue ? { field, code: toIssueCode(issue.message) } : []
    }),
  }
}

/** Returns the issues of a form: at most one per field, in the order of `fieldNames`. */
export function findIssues(values: unknown, context: RuleContext): Issue<FieldName>[] {
  if (!lastCheck || !isSameContext(lastCheck.context, context))
    lastCheck = { context, schema: completeApplication(context) }
  const checked = checkAnswers(lastCheck.schema, values)
  return checked.kind === 'faults' ? checked.issues : []
}

/** The last schema. Building one takes longer than using it, and a form is validated often with the same context. */
let lastCheck: { context: RuleContext; schema: ReturnType<typeof completeApplication> } | undefined

function isSameContext(one: RuleContext, other: RuleContext): boolean {
  return (
    one.today === other.today &&
    one.unlistedFields === other.unlistedFields &&
    one.verified.phoneNumber === other.verified.phoneNumber &&
    one.verified.email === other.verified.email
  )
}

/** A new form: the defaults of the specification, all other fields empty (GEN01, GEN05, PER04, PER08, S70). */
export function emptyForm(): FormValues {
  emptyAnswers ??= {
    ...z.parse(Draft, {}),
    reason: firstPassport,
    languagePref: defaultLanguagePreference,
    gender: defaultGender,
    placeOfBirth: homeCountry,
    dialCode: homeDialCode,
    resAddressCountry: homeCountry,
  }
  return { ...emptyAnswers }
}

/** Computed only once, because each read of a draft needs a new form. */
let emptyAnswers: FormValues | undefined

/**
 * Reads a stored or received form of any age; never throws. A field that is missing, or whose value has a wrong type, gets
 * its value of a new form. A value that breaks a rule stays.
 */
export function readForm(stored: unknown): FormValues {
  const form = emptyForm()
  if (typeof stored !== 'object' || stored === null) return form
  const entries = new Map<string, unknown>(Object.entries(stored))
  const storable = fieldNames.filter(field => isStorable(field, entries.get(field)))
  return { ...form, ...Object.fromEntries(storable.map(field => [field, cutLongText(entries.get(field))])) }
}

/** Clears the fields that the other answers hide (S58, S71, S72, PER07, REP02). */
export function clearHidden(values: FormValues): FormValues {
  const cleared = hiddenFields(values).map(field => [field, isFlag(field) ? false : ''])
  return { ...values, ...Object.fromEntries(cleared) }
}

/** Returns the fields that the current answers do not hide. Only these fields may show a message (FRM11). */
export function shownFields(values: FormValues): FieldName[] {
  const hidden = hiddenFields(values)
  return fieldNames.filter(field => !hidden.includes(field))
}

/** Returns the fields that the current answers hide. */
function hiddenFields(values: FormValues): FieldName[] {
  const hidden: FieldName[] = [
    ...hiddenPlaceFields<TextFieldName>(values.placeOfBirth, birthPlace),
    ...hiddenPlaceFields<TextFieldName>(values.resAddressCountry, residence),
  ]
  if (values.dateOfBirthUnknown) hidden.push('dayOfBirth', 'monthOfBirth')
  if (values.occupation !== otherOccupation) hidden.push('otherOccupation')
  if (!hasNic(values.selectNic))
    hidden.push('nicNumber', 'nicPlaceOfIssuance', 'nicDateOfIssuance', 'nicDateOfExpiry')
  if (previousPassport(values.reason) === 'none') hidden.push('eppNumber', 'eppDateOfIssuance')
  return [...hidden, ...hiddenRepresentativeFields(values)]
}

function hiddenRepresentativeFields(values: FormValues): FieldName[] {
  if (values.addReprData !== 'YES') return Object.keys(representativeFields) as FieldName[] // keys of a literal in this folder
  const hidden: FieldName[] = hiddenPlaceFields<TextFieldName>(
    values.reprPlaceOfBirth,
    representativeBirthPlace,
  )
  if (values.reprDateOfBirthUnknown) hidden.push('reprDayOfBirth', 'reprMonthOfBirth')
  if (values.reprOccupation !== otherOccupation) hidden.push('reprOtherOccupation')
  if (isBlank(values.reprNicNumber))
    hidden.push('reprNicDateOfIssuance', 'reprNicDateOfExpiry', 'reprNicPlaceOfIssuance')
  return hidden
}

/** The answers as texts and flags, without any other check. */
const Answers = z.object(
  // The list has one schema for each field of the form.
  Object.fromEntries(fieldNames.map(field => [field, isFlag(field) ? flag() : asText])) as Record<
    TextFieldName,
    typeof asText
  > &
    Record<(typeof flagNames)[number], ReturnType<typeof flag>>,
)

/**
 * Clears hidden fields before the rules run, because a hidden field cannot have an issue. Normalises an unverified
 * phone number, so that the rules check the number that is sent and stored.
 */
function readAnswers(given: unknown, verified: VerifiedFields): unknown {
  const read = z.safeParse(Answers, given)
  if (!read.success) return given
  const cleared = clearHidden(read.data)
  return verified.phoneNumber ? cleared : withNormalisedNumber(cleared)
}

function withNormalisedNumber(values: FormValues): FormValues {
  const dialCode = withoutSeparators(values.dialCode)
  return { ...values, phoneNumber: normaliseSubscriber(dialCode, values.phoneNumber) }
}

function ruleIssues(values: FormValues, context: RuleContext): Issue<FieldName>[] {
  return [
    ...generalIssues(values),
    ...personIssues(values, context),
    ...parentIssues(values, context.today),
    ...documentsIssues(values, { reason: values.reason, today: context.today }),
    ...(context.unlistedFields?.(values) ?? []).map(field => ({ field, code: 'not-in-list' as const })),
  ]
}

/** Normalises every answer as its field does, also one that breaks a rule of its field, and clears hidden fields. */
export function normaliseForm(values: FormValues): FormValues {
  const form = withNormalisedNumber(clearHidden(values))
  // oxlint-disable-next-line no-underscore-dangle -- unlike `safeParse`, it returns all answers when one breaks a rule
  const read = Draft._zod.run({ value: form, issues: [] }, { async: false })
  // No rule is asynchronous, so it is no promise.
  return (read as z.core.ParsePayload<FormValues>).value
}

/** The form as it is sent: `phoneNumber` includes the dial code (S42). */
export function toWire(values: FormValues): FormValues {
  if (values.phoneNumber === '') return values
  return { ...values, phoneNumber: toMsisdn(values.dialCode, values.phoneNumber) }
}

/** The form as the applicant edits it: `phoneNumber` without the dial code, which is in `dialCode`. */
export function fromWire<Body extends Record<string, unknown>>(body: Body): Body {
  const dialCode = compactNumber(body['dialCode'])
  const phoneNumber = compactNumber(body['phoneNumber'])
  if (dialCode === '' || !phoneNumber.startsWith(dialCode)) return body
  return { ...body, phoneNumber: phoneNumber.slice(dialCode.length) }
}

/** Accepts a phone number of type number too, because other clients may send one. */
function compactNumber(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? withoutSeparators(String(value)) : ''
}

function isFlag(field: FieldName): boolean {
  return flagNames.some(name => name === field)
}

/** Uses no schema: building one for each field takes milliseconds, and a form is read often. */
function isStorable(field: FieldName, value: unknown): boolean {
  if (isFlag(field)) return typeof value === 'boolean'
  return typeof value === 'string'
}

/** Cuts a text to 1,000 characters, more than any rule accepts. So it stays a fault, and does not become empty. */
function cutLongText(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, 1_000) : value
}

/** Another back end may send null for each name of a place that is not in Cameroon. */
const PlaceNames = z.object({ regionName: asText, departmentName: asText, localityName: asText })
const optionalPlaceNames = z.nullable(z.optional(PlaceNames))

/**
 * The body of a save (FRM19, API09): beside these fields, those of the form, with the international phone number. `draft`: the
 * form may be incomplete. `baseVersion`: the version of the server's form from which the changes of the client begin; without
 * it the save overwrites every other change (D14).
 */
export const SaveBody = z.looseObject({
  additionalData: z._default(text(100), ''),
  draft: z._default(z.boolean(), false),
  baseVersion: z.optional(z.number()),
})

/** `data` in the answer of GET /applications/{id}/data (API10, D14). */
export const ApplicationData = z.extend(Draft, {
  additionalData: asText,
  draft: flag(),
  version: z.optional(z.number()),
  /** The epoch of the server: changes when its database was restored from a backup (D62). */
  epoch: z.optional(z.string()),
  /** State of the application. It decides whether the form can still be merged (S93). Not in the specification. */
  currentState: z.optional(z.string()),
  addressCameroonForWeb: optionalPlaceNames,
  resAddressCameroonForWeb: optionalPlaceNames,
  reprAddressCameroonForWeb: optionalPlaceNames,
  changeAppointmentAccess: flag(),
  /** The number of changes that are still allowed; 1 when the server does not say (S08). */
  appointmentChangeCount: z.pipe(
    z.nullish(z.number()),
    z.transform(count => count ?? 1),
  ),
})
export type ApplicationData = z.output<typeof ApplicationData>
