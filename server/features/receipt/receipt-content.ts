import { clearHidden, readForm, type FormValues } from '#contract/application.ts'
import { appointmentParts, officeWithTown } from '#contract/appointment.ts'
import { type Language, noOccupation, otherOccupation } from '#contract/codes.ts'
import { joinDate, showDate } from '#contract/dates.ts'
import { papersOfForm } from '#contract/papers.ts'
import { representativeBirthDate, representativeBirthPlace } from '#contract/parent.ts'
import type { PaymentStatus } from '#contract/payment.ts'
import { birthDate, birthPlace, residence } from '#contract/person.ts'
import { formatPhone, toMsisdn } from '#contract/phone.ts'
import type { ReceiptFields } from '#contract/receipt-code.ts'
import { type FormPlace, homePlace } from '#server/features/applications/form-place.ts'
import { countryName, occupationLabel, placeNames } from '#server/features/dictionary/dictionary-handlers.ts'
import type { LabelledValue, Receipt } from './receipt.ts'
import { fullName, receiptFields } from './receipt-code.ts'
import { isTextKey, type TextKey, translateTo } from '#server/i18n/translate.ts'

export type ReceiptFacts = {
  language: Language
  applicationNumber: string
  /** The stored form. */
  form: unknown
  appointment: {
    office: string
    /** The id of the office's country. */
    officeCountry: string
    country: string
    city: string
    address: string
    /** Local time of the office; null in the general queue. */
    startsAt: string | null
  }
  payment: { status: PaymentStatus; amount: number; currency: string; orderId: string } | undefined
  /** The contacts of the help desk. */
  help: { phone: string; email: string }
  issuedAt: Date
  /** `YYYY-MM-DD` */
  today: string
}

/** The part of a catalogue key after this prefix. */
type KeyAfter<Prefix extends string> = TextKey extends infer Key
  ? Key extends `${Prefix}.${infer Rest}`
    ? Rest
    : never
  : never

type Section = KeyAfter<'receipt.sections'>
/** The rows that come from the form; the three parts of a date of birth are one row. */
type ReceiptField = KeyAfter<'receipt.fields'>

/** Returns the content of a receipt, with the sections of the last screen (FIN04, S57). Omits empty values (FIN06). */
export function receiptContent(facts: ReceiptFacts, sign: (fields: ReceiptFields) => string): Receipt {
  const { language, appointment } = facts
  const t = translateTo(language)
  const form = clearHidden(readForm(facts.form))
  return {
    language,
    title: t('receipt.title'),
    applicationNumberLabel: t('receipt.number'),
    applicationNumber: facts.applicationNumber,
    notice: t('receipt.notice'),
    headline: [filled([{ label: t('receipt.name'), value: fullName(form) }]), ...appointmentHeadline(facts)],
    unprintable: t('receipt.unprintable'),
    sections: sectionsOf(form, facts),
    papers: {
      heading: t('receipt.papersHeading'),
      items: papersOf(form, facts).map(paper => t(`receipt.papers.${paper}`)),
    },
    qr: {
      alt: t('receipt.qr.alt'),
      caption: t('receipt.qr.caption'),
      text: sign(receiptFields({ applicationNumber: facts.applicationNumber, form, appointment })),
    },
    footer: t('receipt.footer', facts.help),
    pageLabel: t('receipt.page', { page: '{page}', pages: '{pages}' }),
    issuedAt: facts.issuedAt,
  }
}

function appointmentHeadline({ language, appointment }: ReceiptFacts): LabelledValue[][] {
  const t = translateTo(language)
  const place = [
    [{ label: t('receipt.appointment.office'), value: appointment.office }],
    filled([{ label: t('receipt.appointment.address'), value: appointment.address, isDetail: true }]),
  ]
  if (appointment.startsAt === null)
    return [...place, [{ label: t('receipt.sections.appointment'), value: t('receipt.generalQueue') }]]
  return [
    ...place,
    [
      { label: t('receipt.appointment.fullDate'), value: showDate(appointment.startsAt) },
      { label: t('receipt.appointment.time'), value: appointmentParts(appointment.startsAt).time },
    ],
  ]
}

function sectionsOf(form: FormValues, facts: ReceiptFacts): Receipt['sections'] {
  const t = translateTo(facts.language)
  const rows: Record<Section, LabelledValue[]> = {
    biographic: biographicRows(form, facts.language),
    residence: residenceRows(form, facts.language),
    nic: nicRows(form, facts.language),
    passport: rowsOf(facts.language, {
      eppNumber: form.eppNumber,
      eppDateOfIssuance: showDate(form.eppDateOfIssuance),
    }),
    parents: rowsOf(facts.language, {
      motherSurname: form.motherSurname,
      motherGivenName: form.motherGivenName,
      fatherSurname: form.fatherSurname,
      fatherGivenName: form.fatherGivenName,
      representative: choiceText(facts.language, `receipt.answers.${form.addReprData}`),
    }),
    representative: form.reprSurname.trim() === '' ? [] : representativeRows(form, facts.language),
    appointment: appointmentRows(facts),
    payment: paymentRows(facts),
  }
  return sections
    .filter(section => rows[section].length > 0)
    .map(section => ({ heading: t(`receipt.sections.${section}`), rows: rows[section] }))
}

const sections = [
  'biographic',
  'residence',
  'nic',
  'passport',
  'parents',
  'representative',
  'appointment',
  'payment',
] as const satisfies Section[]

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

/** FIN07–FIN09. */
function appointmentRows({ language, appointment }: ReceiptFacts): LabelledValue[] {
  const t = translateTo(language)
  const where = [
    { label: t('receipt.appointment.office'), value: officeWithTown(appointment) },
    {
      label: t('receipt.appointment.address'),
      value: appointment.address || t('receipt.appointment.addressUnknown'),
    },
  ]
  if (appointment.startsAt === null)
    return [...where, { label: t('receipt.appointment.day'), value: t('receipt.generalQueue') }]
  const { year, month, day, time } = appointmentParts(appointment.startsAt)
  return [
    ...where,
    { label: t('receipt.appointment.year'), value: year },
    { label: t('receipt.appointment.month'), value: monthText(language, month) },
    { label: t('receipt.appointment.day'), value: day },
    { label: t('receipt.appointment.time'), value: time },
  ]
}

/** FIN10, S63. */
function paymentRows({ language, payment }: ReceiptFacts): LabelledValue[] {
  if (payment === undefined) return []
  const t = translateTo(language)
  return filled([
    { label: t('receipt.payment.status'), value: t(`receipt.paymentStatuses.${payment.status}`) },
    { label: t('receipt.payment.amount'), value: showAmount(payment.amount, payment.currency, language) },
    { label: t('receipt.payment.order'), value: payment.orderId },
  ])
}

function papersOf(form: FormValues, { appointment, today }: ReceiptFacts) {
  return papersOfForm(form, {
    day: appointment.startsAt?.slice(0, 10) ?? today,
    officeCountry: appointment.officeCountry,
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

/** `month`: 01 to 12. */
function monthText(language: Language, month: string): string {
  const key = `receipt.months.${Number(month)}`
  return isTextKey(key) ? translateTo(language)(key) : month
}

export function showAmount(amount: number, currency: string, language: Language): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 0 })
  // Many fonts have no glyph for the narrow space between French digit groups, but have one for U+00A0.
  return format.format(amount).replaceAll('\u202f', '\u00a0')
}

function rowsOf(language: Language, values: Partial<Record<ReceiptField, string>>): LabelledValue[] {
  const t = translateTo(language)
  const labelOf = (field: string) => {
    const key = `receipt.fields.${field}`
    return isTextKey(key) ? t(key) : field
  }
  return filled(Object.entries(values).map(([field, value]) => ({ label: labelOf(field), value })))
}

function filled(rows: LabelledValue[]): LabelledValue[] {
  return rows.filter(({ value }) => value.trim() !== '')
}
