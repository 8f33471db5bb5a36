import {
  checkAnswers,
  type CheckedForm,
  completeApplication,
  Draft,
  type FieldName,
  type FormValues,
  fromWire,
} from '#contract/application.ts'
import { noOccupation } from '#contract/codes.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import { isHome } from '#contract/place.ts'
import { countryName, type HomePlace, occupationLabel, unknownPart } from '#server/features/dictionary.ts'
import type { Caller } from '#server/http/call.ts'
import { type FormPlace, formPlaces, homePlace } from './form-place.ts'
import { lockedBy, provenFields } from './proven-contact.ts'

const countryFields = [
  'placeOfBirth',
  'resAddressCountry',
  'reprPlaceOfBirth',
  'reprCountryOfResidence',
] as const
const dialCodesOfTheWorld = new Set(['', ...knownDialCodes])
const occupationFields = ['occupation', 'reprOccupation'] as const

type Standing = { caller: Pick<Caller, 'msisdn' | 'email'>; today: string }

/** A complete form as it travels: every rule held, every id out of a list, nothing in fields without meaning. */
export function checkForm(body: Record<string, unknown>, { caller, today }: Standing): CheckedForm {
  const context = { today, locked: lockedBy(caller), unlisted: unlistedFields }
  return checkAnswers(completeApplication(context), withProven(body, caller))
}

/** A form that may be incomplete: types and lengths hold (D14). */
export function checkDraft(body: Record<string, unknown>, { caller }: Pick<Standing, 'caller'>): CheckedForm {
  return checkAnswers(Draft, withProven(body, caller))
}

function withProven(body: Record<string, unknown>, caller: Standing['caller']): Record<string, unknown> {
  return { ...fromWire(body), ...provenFields(caller) }
}

/** Ids that the contract lets pass and no dictionary holds. */
function unlistedFields(values: FormValues): FieldName[] {
  return [
    ...countryFields.filter(field => values[field] !== '' && countryName(values[field], 'fr') === undefined),
    ...(dialCodesOfTheWorld.has(values.dialCode) ? [] : ['dialCode' as const]),
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
