import { clearHidden, readForm, type FormValues } from '#contract/application.ts'
import { appointmentParts, officeWithTown } from '#contract/appointment.ts'
import type { Language } from '#contract/codes.ts'
import { showDate } from '#contract/dates.ts'
import { papersOfForm } from '#contract/papers.ts'
import type { PaymentStatus } from '#contract/payment.ts'
import type { ReceiptFields } from '#contract/receipt-code.ts'
import { filled, formRows, formSections, type KeyAfter } from './form-rows.ts'
import type { LabelledValue, Receipt } from './receipt.ts'
import { fullName, receiptFields } from './receipt-code.ts'
import { rememberFormats } from '#server/i18n/intl-formats.ts'
import { isTextKey, translateTo } from '#server/i18n/translate.ts'

export type ReceiptFacts = {
  language: Language
  applicationNumber: string
  /** The decrypted answers. */
  form: unknown
  appointment: {
    office: string
    countryId: string
    /** The name of the country. */
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

type Section = KeyAfter<'receipt.sections'>

/**
 * Returns the content of a receipt, with the sections of the screen Final (FIN04, S57). Omits empty values (FIN06), but
 * the section of the appointment says when the address of the office is unknown. `sign`: returns the text of the QR
 * code.
 */
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
    ...formRows(form, facts.language),
    appointment: appointmentRows(facts),
    payment: paymentRows(facts),
  }
  return sections
    .filter(section => rows[section].length > 0)
    .map(section => ({ heading: t(`receipt.sections.${section}`), rows: rows[section] }))
}

const sections = [...formSections, 'appointment', 'payment'] as const satisfies Section[]

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
    officeCountry: appointment.countryId,
  })
}

/** `month`: 01 to 12. */
function monthText(language: Language, month: string): string {
  const key = `receipt.months.${Number(month)}`
  return isTextKey(key) ? translateTo(language)(key) : month
}

const amountFormat = rememberFormats(
  (language: Language, currency: string) =>
    new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 0 }),
)

/** Writes an amount in whole units of the currency, as `formatAmount` does in the portal. */
export function showAmount(amount: number, currency: string, language: Language): string {
  // Many fonts have no glyph for the narrow space between French digit groups, but have one for U+00A0.
  return amountFormat(language, currency).format(amount).replaceAll('\u202f', '\u00a0')
}
