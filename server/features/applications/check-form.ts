import {
  checkAnswers,
  type CheckedForm,
  completeApplication,
  Draft,
  type FieldName,
  type FormValues,
  fromWire,
  type RuleContext,
} from '#contract/application.ts'
import { noOccupation } from '#contract/codes.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import { isHome } from '#contract/place.ts'
import {
  countryName,
  type HomePlace,
  occupationLabel,
  findInvalidPart,
} from '#server/features/dictionary/dictionary-handlers.ts'
import type { Caller } from '#server/calls/call.ts'
import { type FormPlace, formPlaces, homePlace } from './form-place.ts'
import { verifiedFields, verifiedValues } from './verified-contact.ts'

const countryFields = [
  'placeOfBirth',
  'resAddressCountry',
  'reprPlaceOfBirth',
  'reprCountryOfResidence',
] as const
const allowedDialCodes = new Set(['', ...knownDialCodes])
const occupationFields = ['occupation', 'reprOccupation'] as const

export type FormContext = { caller: Pick<Caller, 'msisdn' | 'email'>; today: string }

/**
 * Checks a complete form in wire names: every rule holds, every id is in its dictionary, and fields that do not apply
 * are emptied. `today` is `YYYY-MM-DD` in the home time zone.
 */
export function checkForm(body: Record<string, unknown>, { caller, today }: FormContext): CheckedForm {
  const context: RuleContext = { today, verified: verifiedFields(caller), unlistedFields }
  return checkAnswers(completeApplication(context), withVerifiedContact(body, caller))
}

/**
 * Checks a draft, which may be incomplete: types, lengths, characters that cannot be stored, and the format of each choice,
 * id, dial code and number (D14). No field is required, and no id is looked up in its dictionary.
 */
export function checkDraft(
  body: Record<string, unknown>,
  { caller }: Pick<FormContext, 'caller'>,
): CheckedForm {
  return checkAnswers(Draft, withVerifiedContact(body, caller))
}

function withVerifiedContact(
  body: Record<string, unknown>,
  caller: FormContext['caller'],
): Record<string, unknown> {
  return { ...fromWire(body), ...verifiedValues(caller) }
}

/**
 * Fields whose id or dial code passes the contract's schema but is in no list, or belongs to another region or
 * department.
 */
function unlistedFields(values: FormValues): FieldName[] {
  return [
    ...countryFields.filter(field => values[field] !== '' && countryName(values[field], 'fr') === undefined),
    ...(allowedDialCodes.has(values.dialCode) ? [] : ['dialCode' as const]),
    ...occupationFields.filter(field => occupationLabel(values[field] || noOccupation, 'fr') === undefined),
    ...formPlaces.flatMap(place => {
      if (!isHome(values[place.country])) return []
      const part = findInvalidPart(homePlace(values, place))
      return part ? partFields(place)[part] : []
    }),
  ]
}

function partFields(place: FormPlace): Record<keyof HomePlace, FieldName> {
  return { regionCode: place.region, departmentCode: place.department, localityId: place.locality }
}
