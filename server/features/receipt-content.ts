import { clearHidden, readForm, type FormValues } from '#contract/application.ts'
import { appointmentParts, officeWithTown } from '#contract/appointment.ts'
import { type Language, noOccupation, otherOccupation } from '#contract/codes.ts'
import { joinDate, showDate } from '#contract/dates.ts'
import { papersOfForm, readBirthYear } from '#contract/papers.ts'
import { representativeBirthDate, representativeBirthPlace } from '#contract/parent.ts'
import type { PaymentStatus } from '#contract/payment.ts'
import { birthDate, birthPlace, residence } from '#contract/person.ts'
import { formatPhone, toMsisdn } from '#contract/phone.ts'
import type { ReceiptFields } from '#contract/receipt-code.ts'
import { type FormPlace, homePlace } from '#server/features/applications/form-place.ts'
import { countryName, occupationLabel, placeNames } from '#server/features/dictionary.ts'
import type { LabelledValue, Receipt } from '#server/features/receipt/receipt.ts'
import { type ReceiptField, receiptWords, type Section } from '#server/words/receipt-words.ts'

export type ReceiptFacts = {
  language: Language
  applicationNumber: string
  /** As stored. */
  form: unknown
  appointment: {
    office: string
    /** An id. */
    officeCountry: string
    country: string
    city: string
    address: string
    /** Office-local; null in the general queue. */
    startsAt: string | null
  }
  payment: { status: PaymentStatus; amount: number; currency: string; orderId: string } | undefined
  /** Whom to ask. */
  help: { phone: string; email: string }
  issuedAt: Date
  /** `YYYY-MM-DD` */
  today: string
}

/** All that a receipt says, section by section as on the last screen (FIN04, S57); what is empty is left out (FIN06). */
export function receiptContent(facts: ReceiptFacts, sign: (fields: ReceiptFields) => string): Receipt {
  const { language, appointment } = facts
  const words = receiptWords[language]
  const form = clearHidden(readForm(facts.form))
  return {
    language,
    title: words.title,
    applicationNumberLabel: words.number,
    applicationNumber: facts.applicationNumber,
    notice: words.notice,
    headline: [filled([{ label: words.name, value: fullName(form) }]), ...appointmentHeadline(facts)],
    unprintable: words.unprintable,
    sections: sectionsOf(form, facts),
    papers: { heading: words.papersHeading, items: papersOf(form, facts).map(paper => words.papers[paper]) },
    qr: {
      ...words.qr,
      text: sign({
        applicationNumber: facts.applicationNumber,
        name: fullName(form),
        yearOfBirth: readBirthYear(form),
        office: appointment.office,
        date: appointment.startsAt?.slice(0, 10) ?? null,
      }),
    },
    footer: words.footer(facts.help),
    pageLabel: words.page,
    issuedAt: facts.issuedAt,
  }
}

function appointmentHeadline({ language, appointment }: ReceiptFacts): LabelledValue[][] {
  const words = receiptWords[language]
  const office = [{ label: words.appointment.office, value: appointment.office }]
  if (appointment.startsAt === null)
    return [office, [{ label: words.sections.appointment, value: words.generalQueue }]]
  return [
    office,
    [
      { label: words.appointment.fullDate, value: showDate(appointment.startsAt) },
      { label: words.appointment.time, value: appointmentParts(appointment.startsAt).time },
    ],
  ]
}

function sectionsOf(form: FormValues, facts: ReceiptFacts): Receipt['sections'] {
  const words = receiptWords[facts.language]
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
      addReprData: wordOf(words.answers, form.addReprData),
    }),
    representative: form.reprSurname.trim() === '' ? [] : representativeRows(form, facts.language),
    appointment: appointmentRows(facts),
    payment: paymentRows(facts),
  }
  return sections
    .filter(section => rows[section].length > 0)
    .map(section => ({ heading: words.sections[section], rows: rows[section] }))
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
  const words = receiptWords[language]
  const place = placeWords(form, birthPlace, language)
  return rowsOf(language, {
    reason: wordOf(words.reasons, form.reason),
    travelDestination: form.travelDestination,
    reasonForTravel: form.reasonForTravel,
    surname: form.surname,
    givenName: form.givenName,
    gender: wordOf(words.genders, form.gender),
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
  const place = placeWords(form, residence, language)
  return rowsOf(language, {
    resAddressCountry: place.country,
    resAddressRegionCode: place.region,
    resAddressDepartmentCode: place.department,
    resAddressLocalityId: place.locality,
    resAddressCity: place.city,
    resAddressStreet: form.resAddressStreet,
  })
}

/** The kind of card alone is no card, as on the screens (CNF02, S71). */
function nicRows(form: FormValues, language: Language): LabelledValue[] {
  const rows = rowsOf(language, {
    nicNumber: form.nicNumber,
    nicDateOfIssuance: showDate(form.nicDateOfIssuance),
    nicDateOfExpiry: showDate(form.nicDateOfExpiry),
    nicPlaceOfIssuance: form.nicPlaceOfIssuance,
  })
  if (rows.length === 0) return []
  return [
    ...rowsOf(language, { selectNic: wordOf(receiptWords[language].nicChoices, form.selectNic) }),
    ...rows,
  ]
}

function representativeRows(form: FormValues, language: Language): LabelledValue[] {
  const place = placeWords(form, representativeBirthPlace, language)
  return rowsOf(language, {
    reprSurname: form.reprSurname,
    reprGivenName: form.reprGivenName,
    reprGender: wordOf(receiptWords[language].genders, form.reprGender),
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
  const words = receiptWords[language]
  const where = [
    { label: words.appointment.office, value: officeWithTown(appointment) },
    { label: words.appointment.address, value: appointment.address || words.appointment.addressUnknown },
  ]
  if (appointment.startsAt === null)
    return [...where, { label: words.appointment.day, value: words.generalQueue }]
  const { year, month, day, time } = appointmentParts(appointment.startsAt)
  return [
    ...where,
    { label: words.appointment.year, value: year },
    { label: words.appointment.month, value: words.months[Number(month) - 1] ?? month },
    { label: words.appointment.day, value: day },
    { label: words.appointment.time, value: time },
  ]
}

/** FIN10, S63. */
function paymentRows({ language, payment }: ReceiptFacts): LabelledValue[] {
  if (payment === undefined) return []
  const words = receiptWords[language]
  return filled([
    { label: words.payment.status, value: words.paymentStatuses[payment.status] },
    { label: words.payment.amount, value: showAmount(payment.amount, payment.currency, language) },
    { label: words.payment.order, value: payment.orderId },
  ])
}

function papersOf(form: FormValues, { appointment, today }: ReceiptFacts) {
  return papersOfForm(form, {
    day: appointment.startsAt?.slice(0, 10) ?? today,
    officeCountry: appointment.officeCountry,
  })
}

function fullName({ surname, givenName }: FormValues): string {
  return `${surname} ${givenName}`.trim()
}

/** DD.MM.YYYY, or the year alone when the date is unknown. */
function birthText(form: FormValues, fields: typeof birthDate | typeof representativeBirthDate): string {
  const year = form[fields.year]
  if (form[fields.day] === '' || form[fields.month] === '') return year
  return showDate(joinDate({ day: form[fields.day], month: form[fields.month], year }))
}

type PlaceWords = { country: string; region: string; department: string; locality: string; city: string }

function placeWords(form: FormValues, place: FormPlace, language: Language): PlaceWords {
  const names = placeNames(homePlace(form, place), language)
  return {
    country: countryName(form[place.country], language) ?? '',
    region: names?.regionName ?? '',
    department: names?.departmentName ?? '',
    locality: names?.localityName ?? '',
    city: form[place.city],
  }
}

/** What was written in stands in place of "other", as on the screens. */
function occupationText(id: string, other: string, language: Language): string {
  if (id === '' || id === noOccupation) return ''
  if (id === otherOccupation && other !== '') return other
  return occupationLabel(id, language) ?? id
}

function wordOf(words: Readonly<Record<string, string>>, id: string): string {
  return words[id] ?? ''
}

export function showAmount(amount: number, currency: string, language: Language): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 0 })
  // The space between digits that French uses has no shape in many fonts; a plain fixed one has.
  return format.format(amount).replaceAll('\u202f', '\u00a0')
}

function rowsOf(language: Language, values: Partial<Record<ReceiptField, string>>): LabelledValue[] {
  const words: Readonly<Record<string, string>> = receiptWords[language].fields
  return filled(Object.entries(values).map(([field, value]) => ({ label: words[field] ?? field, value })))
}

function filled(rows: LabelledValue[]): LabelledValue[] {
  return rows.filter(({ value }) => value.trim() !== '')
}
