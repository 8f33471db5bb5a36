import type { FormValues } from '#contract/application.ts'
import { type Language, noOccupation, otherOccupation } from '#contract/codes.ts'
import { joinDate, showDate } from '#contract/dates.ts'
import { representativeBirthDate, representativeBirthPlace } from '#contract/parent.ts'
import { birthDate, birthPlace, residence } from '#contract/person.ts'
import { formatPhone, toMsisdn } from '#contract/phone.ts'
import { type FormPlace, homePlace } from '#server/features/applications/form-place.ts'
import { countryName, occupationLabel, placeNames } from '#server/features/dictionary/dictionary-handlers.ts'
import { isTextKey, type TextKey, translateTo } from '#server/i18n/translate.ts'
import type { LabelledValue } from './receipt.ts'

export const formSections = [
  'biographic',
  'residence',
  'nic',
  'passport',
  'parents',
  'representative',
] as const
type FormSection = (typeof formSections)[number]

/** The part of a catalogue key after this prefix. */
export type KeyAfter<Prefix extends string> = TextKey extends infer Key
  ? Key extends `${Prefix}.${infer Rest}`
    ? Rest
    : never
  : never

/** The rows that come from the form; the three parts of a date of birth are one row. */
type ReceiptField = KeyAfter<'receipt.fields'>

/** Returns the answers of a form as labels and texts, in the sections of the receipt. Omits empty values (FIN06). */
export function formRows(form: FormValues, language: Language): Record<FormSection, LabelledValue[]> {
  return {
    biographic: biographicRows(form, language),
    residence: residenceRows(form, language),
    nic: nicRows(form, language),
    passport: rowsOf(language, {
      eppNumber: form.eppNumber,
      eppDateOfIssuance: showDate(form.eppDateOfIssuance),
    }),
    parents: rowsOf(language, {
      motherSurname: form.motherSurname,
      motherGivenName: form.motherGivenName,
      fatherSurname: form.fatherSurname,
      fatherGivenName: form.fatherGivenName,
      representative: choiceText(language, `receipt.representativeChoices.${form.addReprData}`),
    }),
    representative: form.reprSurname.trim() === '' ? [] : representativeRows(form, language),
  }
}

function biographicRows(form: FormValues, language: Language): LabelledValue[] {
  const place = placeTexts(form, birthPlace, language)
  return rowsOf(language, {
    reason: choiceText(language, `receipt.reasons.${form.reason}`),
    travelDestination: form.travelDestination,
    reasonForTravel: form.reasonForTravel,
    surname: form.surname,
    givenName: form.givenName,
    gender: choiceText(language, `receipt.genders.${form.gender}`),
    dateOfBirth: birthText(form, birthDate),
    placeOfBirth: place.country,
    regionCode: place.region,
    departmentCode: place.department,
    localityId: place.locality,
    city: place.city,
    phoneNumber: form.phoneNumber === '' ? '' : formatPhone(toMsisdn(form.dialCode, form.phoneNumber)),
    email: form.email,
    occupation: occupationText(form.occupation, form.otherOccupation, language),
  })
}

function residenceRows(form: FormValues, language: Language): LabelledValue[] {
  const place = placeTexts(form, residence, language)
  return rowsOf(language, {
    resAddressCountry: place.country,
    resAddressRegionCode: place.region,
    resAddressDepartmentCode: place.department,
    resAddressLocalityId: place.locality,
    resAddressCity: place.city,
    resAddressStreet: form.resAddressStreet,
  })
}

/** Returns no rows when only the kind of card is known, as on the screens (CNF02, S71). */
function nicRows(form: FormValues, language: Language): LabelledValue[] {
  const rows = rowsOf(language, {
    nicNumber: form.nicNumber,
    nicDateOfIssuance: showDate(form.nicDateOfIssuance),
    nicDateOfExpiry: showDate(form.nicDateOfExpiry),
    nicPlaceOfIssuance: form.nicPlaceOfIssuance,
  })
  if (rows.length === 0) return []
  return [
    ...rowsOf(language, { selectNic: choiceText(language, `receipt.nicChoices.${form.selectNic}`) }),
    ...rows,
  ]
}

function representativeRows(form: FormValues, language: Language): LabelledValue[] {
  const place = placeTexts(form, representativeBirthPlace, language)
  return rowsOf(language, {
    reprSurname: form.reprSurname,
    reprGivenName: form.reprGivenName,
    reprGender: choiceText(language, `receipt.genders.${form.reprGender}`),
    reprDateOfBirth: birthText(form, representativeBirthDate),
    reprPlaceOfBirth: place.country,
    reprRegionCode: place.region,
    reprDepartmentCode: place.department,
    reprLocalityId: place.locality,
    reprCity: place.city,
    reprCountryOfResidence: countryName(form.reprCountryOfResidence, language) ?? '',
    reprOccupation: occupationText(form.reprOccupation, form.reprOtherOccupation, language),
    reprNicNumber: form.reprNicNumber,
    reprNicDateOfIssuance: showDate(form.reprNicDateOfIssuance),
    reprNicDateOfExpiry: showDate(form.reprNicDateOfExpiry),
    reprNicPlaceOfIssuance: form.reprNicPlaceOfIssuance,
  })
}

/** Returns DD.MM.YYYY, or only the year when the date is unknown. */
function birthText(form: FormValues, fields: typeof birthDate | typeof representativeBirthDate): string {
  const year = form[fields.year]
  if (form[fields.day] === '' || form[fields.month] === '') return year
  return showDate(joinDate({ day: form[fields.day], month: form[fields.month], year }))
}

type PlaceTexts = { country: string; region: string; department: string; locality: string; city: string }

function placeTexts(form: FormValues, place: FormPlace, language: Language): PlaceTexts {
  const names = placeNames(homePlace(form, place), language)
  return {
    country: countryName(form[place.country], language) ?? '',
    region: names?.regionName ?? '',
    department: names?.departmentName ?? '',
    locality: names?.localityName ?? '',
    city: form[place.city],
  }
}

/** Returns the applicant's own text instead of "other", as on the screens. */
function occupationText(id: string, other: string, language: Language): string {
  if (id === '' || id === noOccupation) return ''
  if (id === otherOccupation && other !== '') return other
  return occupationLabel(id, language) ?? id
}

/** Returns the text of a stored choice; '' without a choice and for an id that is no longer offered. */
function choiceText(language: Language, key: string): string {
  return isTextKey(key) ? translateTo(language)(key) : ''
}

function rowsOf(language: Language, values: Partial<Record<ReceiptField, string>>): LabelledValue[] {
  const t = translateTo(language)
  const labelOf = (field: string) => {
    const key = `receipt.fields.${field}`
    return isTextKey(key) ? t(key) : field
  }
  return filled(Object.entries(values).map(([field, value]) => ({ label: labelOf(field), value })))
}

export function filled(rows: LabelledValue[]): LabelledValue[] {
  return rows.filter(({ value }) => value.trim() !== '')
}
