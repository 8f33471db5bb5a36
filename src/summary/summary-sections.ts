import type { ApplicationData, FieldName, Tab, TextFieldName } from '#contract/application.ts'
import type { BirthFields } from '#contract/birth.ts'
import { noOccupation, otherOccupation } from '#contract/codes.ts'
import { joinDate, showDate } from '#contract/dates.ts'
import { representativeBirthDate, representativeBirthPlace } from '#contract/parent.ts'
import { birthDate, birthPlace, residence } from '#contract/person.ts'
import { isHome, type PlaceFields } from '#contract/place.ts'

/** Functions that return the text of a code or an id in the current language, from the catalogues or dictionaries. */
export type SummaryNames = {
  reason(code: string): string
  gender(code: string): string
  /** Whether there is a representative. */
  representative(code: string): string
  /** The kind of identity card. */
  nic(code: string): string
  country(id: string): string
  occupation(id: string): string
  /** Formats a phone number. `msisdn`: only digits, with the country code first. */
  phone(msisdn: string): string
}

export type SectionName = 'personal' | 'residence' | 'nic' | 'passport' | 'parents' | 'representative'
/** `label`: the catalogue key of the term, without its prefix `field.`. `value`: the answer as text. */
export type AnswerRow = {
  label: FieldName | 'dateOfBirth' | 'reprDateOfBirth' | 'representative'
  value: string
}
/** `tab`: the form tab of these answers. Those of the General tab are in `personal`, whose `tab` is another one. */
export type SummarySection = { name: SectionName; tab: Tab; rows: AnswerRow[] }

/**
 * Returns the sections of a summary, without empty answers (CNF05, FIN06) and with dates as DD.MM.YYYY (CNF06). A
 * section appears only with content (CNF02–CNF04). The answers of the General tab come first in the section `personal`,
 * because the specification has no section for them (S57); without `languagePref`, which has no question (S74).
 */
export function summarySections(data: ApplicationData, names: SummaryNames): SummarySection[] {
  return sectionsOfAllAnswers(data, names)
    .map(section => ({ ...section, rows: section.rows.filter(({ label }) => !isNoOccupation(data, label)) }))
    .filter(section => hasContent(data, section))
}

/**
 * Returns the rows of all sections, also those that a summary omits. Answers without a row: `languagePref`, and answers
 * that need another one, such as a region without a country.
 */
export function allAnswerRows(data: ApplicationData, names: SummaryNames): AnswerRow[] {
  return sectionsOfAllAnswers(data, names).flatMap(({ rows }) => rows)
}

function sectionsOfAllAnswers(data: ApplicationData, names: SummaryNames): SummarySection[] {
  return [
    { name: 'personal', tab: 'PersonData', rows: personalRows(data, names) },
    { name: 'residence', tab: 'PersonData', rows: residenceRows(data, names) },
    { name: 'nic', tab: 'NicData', rows: nicRows(data, names) },
    { name: 'passport', tab: 'NicData', rows: passportRows(data) },
    { name: 'parents', tab: 'ParentData', rows: parentRows(data, names) },
    { name: 'representative', tab: 'ParentData', rows: representativeRows(data, names) },
  ]
}

/** A representative needs a surname (CNF04), an identity card a number, a date or a place (CNF02, S71). */
function hasContent(data: ApplicationData, { name, rows }: SummarySection): boolean {
  if (name === 'representative') return data.reprSurname.trim() !== ''
  return rows.some(({ label }) => label !== 'selectNic')
}

function isNoOccupation(data: ApplicationData, label: AnswerRow['label']): boolean {
  return (label === 'occupation' || label === 'reprOccupation') && data[label] === noOccupation
}

function personalRows(data: ApplicationData, names: SummaryNames): AnswerRow[] {
  return withoutEmpty([
    row('reason', data.reason && names.reason(data.reason)),
    row('travelDestination', data.travelDestination),
    row('reasonForTravel', data.reasonForTravel),
    row('surname', data.surname),
    row('givenName', data.givenName),
    row('gender', data.gender && names.gender(data.gender)),
    row('dateOfBirth', birthText(data, birthDate)),
    ...placeRows(data, { fields: birthPlace, home: data.addressCameroonForWeb, names }),
    row('phoneNumber', names.phone(data.phoneNumber)),
    row('email', data.email),
    ...occupationRows(data, { fields: { id: 'occupation', other: 'otherOccupation' }, names }),
  ])
}

function residenceRows(data: ApplicationData, names: SummaryNames): AnswerRow[] {
  return withoutEmpty([
    ...placeRows(data, { fields: residence, home: data.resAddressCameroonForWeb, names }),
    row('resAddressStreet', data.resAddressStreet),
  ])
}

function nicRows(data: ApplicationData, names: SummaryNames): AnswerRow[] {
  return withoutEmpty([
    row('selectNic', data.selectNic && names.nic(data.selectNic)),
    row('nicNumber', data.nicNumber),
    row('nicDateOfIssuance', showDate(data.nicDateOfIssuance)),
    row('nicDateOfExpiry', showDate(data.nicDateOfExpiry)),
    row('nicPlaceOfIssuance', data.nicPlaceOfIssuance),
  ])
}

function passportRows(data: ApplicationData): AnswerRow[] {
  return withoutEmpty([
    row('eppNumber', data.eppNumber),
    row('eppDateOfIssuance', showDate(data.eppDateOfIssuance)),
  ])
}

function parentRows(data: ApplicationData, names: SummaryNames): AnswerRow[] {
  return withoutEmpty([
    row('motherSurname', data.motherSurname),
    row('motherGivenName', data.motherGivenName),
    row('fatherSurname', data.fatherSurname),
    row('fatherGivenName', data.fatherGivenName),
    // The label is not that of the question (`addReprData`), which asks whether to add a representative.
    row('representative', data.addReprData && names.representative(data.addReprData)),
  ])
}

function representativeRows(data: ApplicationData, names: SummaryNames): AnswerRow[] {
  return withoutEmpty([
    row('reprSurname', data.reprSurname),
    row('reprGivenName', data.reprGivenName),
    row('reprGender', data.reprGender && names.gender(data.reprGender)),
    row('reprDateOfBirth', birthText(data, representativeBirthDate)),
    ...placeRows(data, { fields: representativeBirthPlace, home: data.reprAddressCameroonForWeb, names }),
    row('reprCountryOfResidence', data.reprCountryOfResidence && names.country(data.reprCountryOfResidence)),
    ...occupationRows(data, { fields: { id: 'reprOccupation', other: 'reprOtherOccupation' }, names }),
    row('reprNicNumber', data.reprNicNumber),
    row('reprNicDateOfIssuance', showDate(data.reprNicDateOfIssuance)),
    row('reprNicDateOfExpiry', showDate(data.reprNicDateOfExpiry)),
    row('reprNicPlaceOfIssuance', data.reprNicPlaceOfIssuance),
  ])
}

type PlaceParts = {
  fields: PlaceFields<TextFieldName>
  home: ApplicationData['addressCameroonForWeb']
  names: SummaryNames
}

/** `home`: the names of a place in Cameroon, which the server sends with the data; without them, shows the codes. */
function placeRows(data: ApplicationData, { fields, home, names }: PlaceParts): AnswerRow[] {
  const country = data[fields.country]
  if (country === '') return []
  const countryRow = row(fields.country, names.country(country))
  if (!isHome(country)) return [countryRow, row(fields.city, data[fields.city])]
  return [
    countryRow,
    row(fields.region, home?.regionName || data[fields.region]),
    row(fields.department, home?.departmentName || data[fields.department]),
    row(fields.locality, home?.localityName || data[fields.locality]),
  ]
}

type OccupationParts = { fields: { id: TextFieldName; other: TextFieldName }; names: SummaryNames }

/** For the occupation 'other' returns the text that the applicant typed, if there is one. */
function occupationRows(data: ApplicationData, { fields, names }: OccupationParts): AnswerRow[] {
  const id = data[fields.id]
  if (id === '') return []
  if (id === otherOccupation && data[fields.other] !== '') return [row(fields.id, data[fields.other])]
  return [row(fields.id, names.occupation(id))]
}

/** Returns a date of birth as DD.MM.YYYY, or only its year when the day and the month are unknown. */
function birthText(data: ApplicationData, fields: BirthFields<TextFieldName>): string {
  const parts = { day: data[fields.day], month: data[fields.month], year: data[fields.year] }
  if (parts.day === '' && parts.month === '') return parts.year
  const date = showDate(joinDate(parts))
  // An incomplete date: each part keeps its place, so that two of them can be told apart.
  return date.includes('-') ? [parts.day, parts.month, parts.year].map(part => part || '–').join('.') : date
}

function row(label: AnswerRow['label'], value: string): AnswerRow {
  return { label, value }
}

function withoutEmpty(rows: AnswerRow[]): AnswerRow[] {
  return rows.filter(({ value }) => value.trim() !== '')
}
