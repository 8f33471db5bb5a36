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
import { text } from './fields.ts'
import { generalFields, generalIssues } from './general.ts'
import type { Issue } from './issues.ts'
import { toIssueCode } from './issues.ts'
import { parentFields, parentIssues, representativeBirthPlace, representativeFields } from './parent.ts'
import type { Locked } from './person.ts'
import { birthPlace, personFields, personIssues, residence } from './person.ts'
import { subscriberDigits, toMsisdn } from './phone.ts'
import { hiddenPlaceFields } from './place.ts'

/** Names of the tabs as they stand in the address (NAV05), in their order (FRM01). */
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

export const fieldNames = Object.keys(formFields) as FieldName[] // the keys of our own literal
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

/** An application that may still be incomplete: types and lengths hold, required fields do not (D14). */
export const Draft = z.object(formFields)
export type FormValues = z.output<typeof Draft>

/** What the rules need to know beside the values: the day it is, and what sign-in supplied. */
export type RuleContext = { today: string; locked: Locked }

/** A complete application: fields of no meaning cleared (S72), every rule of the form held. */
export function completeApplication(context: RuleContext) {
  return z.object(formFields).check(
    z.overwrite(clearHidden),
    z.check(payload => {
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

/** All faults of a form, one per field, in the order of the form. */
export function findIssues(values: unknown, context: RuleContext): Issue<FieldName>[] {
  const result = z.safeParse(completeApplication(context), values)
  if (result.success) return []
  const found = new Map<string, Issue<FieldName>>()
  for (const { path, message } of result.error.issues) {
    const field = fieldNames.find(name => name === path[0])
    if (field && !found.has(field)) found.set(field, { field, code: toIssueCode(message) })
  }
  return fieldNames.flatMap(name => found.get(name) ?? [])
}

/** A form as it starts: the specification's defaults, the rest unanswered (GEN01, GEN05, PER04, PER08, S70). */
export function emptyForm(): FormValues {
  return {
    ...z.parse(Draft, {}),
    reason: firstPassport,
    languagePref: defaultLanguagePreference,
    gender: defaultGender,
    placeOfBirth: homeCountry,
    dialCode: homeDialCode,
    resAddressCountry: homeCountry,
  }
}

/** Reads a stored or received form, however old or broken: what does not fit is left out, nothing throws. */
export function readForm(stored: unknown): FormValues {
  const form = emptyForm()
  if (typeof stored !== 'object' || stored === null) return form
  const entries = new Map<string, unknown>(Object.entries(stored))
  const kept = fieldNames.filter(
    field => z.safeParse(z.object({ value: keptType(field) }), { value: entries.get(field) }).success,
  )
  return { ...form, ...Object.fromEntries(kept.map(field => [field, entries.get(field)])) }
}

/** The values without those that the other answers leave without meaning (S58, S71, S72, PER07, REP02). */
export function clearHidden(values: FormValues): FormValues {
  const cleared = hiddenFields(values).map(field => [field, isFlag(field) ? false : ''])
  return { ...values, ...Object.fromEntries(cleared) }
}

/** Which fields are out of the form as it is answered now. */
export function hiddenFields(values: FormValues): FieldName[] {
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
  if (values.addReprData !== 'YES') return Object.keys(representativeFields) as FieldName[] // keys of our own literal
  const hidden: FieldName[] = hiddenPlaceFields<TextFieldName>(
    values.reprPlaceOfBirth,
    representativeBirthPlace,
  )
  if (values.reprDateOfBirthUnknown) hidden.push('reprDayOfBirth', 'reprMonthOfBirth')
  if (values.reprOccupation !== otherOccupation) hidden.push('reprOtherOccupation')
  if (values.reprNicNumber.trim() === '')
    hidden.push('reprNicDateOfIssuance', 'reprNicDateOfExpiry', 'reprNicPlaceOfIssuance')
  return hidden
}

function ruleIssues(values: FormValues, context: RuleContext): Issue<FieldName>[] {
  return [
    ...generalIssues(values),
    ...personIssues(values, context),
    ...parentIssues(values, context.today),
    ...documentsIssues(values, { reason: values.reason, today: context.today }),
  ]
}

/** The form with every answer tidied as its field tidies it, and nothing in fields without meaning. */
export function tidyForm(values: FormValues): FormValues {
  const read = z.safeParse(Draft, values)
  const tidied = read.success ? read.data : values
  return clearHidden({ ...tidied, phoneNumber: subscriberDigits(tidied.dialCode, tidied.phoneNumber) })
}

/** The form as it travels: phoneNumber international, its country code first (S42). */
export function toWire(values: FormValues): FormValues {
  if (values.phoneNumber === '') return values
  return { ...values, phoneNumber: toMsisdn(values.dialCode, values.phoneNumber) }
}

/** The form as it is filled in: phoneNumber without the country code that stands in dialCode. */
export function fromWire<Body extends Record<string, unknown>>(body: Body): Body {
  const { dialCode, phoneNumber } = body
  if (typeof dialCode !== 'string' || typeof phoneNumber !== 'string' || dialCode === '') return body
  const subscriber = phoneNumber.replace(/^\+/, '')
  return subscriber.startsWith(dialCode) ? { ...body, phoneNumber: subscriber.slice(dialCode.length) } : body
}

function isFlag(field: FieldName): boolean {
  return flagNames.some(name => name === field)
}

function keptType(field: FieldName) {
  return isFlag(field) ? z.boolean() : z.string().check(z.maxLength(1_000))
}

const PlaceNames = z.object({
  regionName: z.string(),
  departmentName: z.string(),
  localityName: z.string(),
})
const optionalPlaceNames = z.nullable(z.optional(PlaceNames))

/** The body of a save (FRM19, API09): the form, what was read back, and the full phone number. */
export const SaveBody = z.looseObject({
  additionalData: z._default(text(100), ''),
  draft: z._default(z.boolean(), false),
  baseVersion: z.optional(z.number()),
})

/** What GET /applications/{id}/data answers in data (API10, D14). */
export const ApplicationData = z.extend(Draft, {
  additionalData: z._default(z.string(), ''),
  draft: z._default(z.boolean(), false),
  version: z.optional(z.number()),
  addressCameroonForWeb: optionalPlaceNames,
  resAddressCameroonForWeb: optionalPlaceNames,
  reprAddressCameroonForWeb: optionalPlaceNames,
  changeAppointmentAccess: z._default(z.boolean(), false),
  appointmentChangeCount: z._default(z.number(), 1),
})
export type ApplicationData = z.output<typeof ApplicationData>
