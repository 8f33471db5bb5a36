import { type Kysely, sql } from 'kysely'
import { homeTimeZone, type Language } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { describeOffice } from '#server/features/appointments/read-appointment.ts'
import type { ApplicationRow } from '#server/features/applications/own-application.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'
import { type DrawnFile, drawPdf } from './draw-pdf.ts'
import { receiptContent, type ReceiptFacts } from './receipt-content.ts'
import { createReceiptCode } from './receipt-code.ts'
import type { Services } from '#server/calls/services.ts'

/** An application and the language of its receipt. */
export type ReceiptOf = { application: ApplicationRow; language: Language }

export type PrintReceipt = (db: Kysely<Schema>, of: ReceiptOf) => Promise<DrawnFile | undefined>

/**
 * Returns a function that prints a receipt as a PDF. The function returns undefined when the application never had an
 * appointment; its callers check the state first.
 */
export function createReceiptPrinter(services: Services): PrintReceipt {
  const { clock, config } = services
  const codeOf = createReceiptCode(services)
  return async (db, of) => {
    const facts = await readFacts(db, {
      ...of,
      form: decryptForm(services, of.application),
      help: config.help,
      now: clock.now(),
    })
    if (facts === undefined) return undefined
    return drawPdf(receiptContent(facts, codeOf))
  }
}

async function readFacts(
  db: Kysely<Schema>,
  { application, form, language, help, now }: ReceiptOf & Pick<ReceiptFacts, 'form' | 'help'> & { now: Date },
): Promise<ReceiptFacts | undefined> {
  if (application.appointment_id === null) return undefined
  const appointment = await db
    .selectFrom('appointment')
    .select(['office_id', 'starts_at', 'confirmed_at'])
    .where('id', '=', application.appointment_id)
    .executeTakeFirst()
  if (appointment === undefined) return undefined
  const office = await describeOffice(db, appointment.office_id, language)
  return {
    language,
    applicationNumber: application.number,
    form,
    appointment: {
      office: office.nameOffice,
      countryId: String(office.countryId),
      country: office.country,
      city: office.city,
      address: office.addressOffice,
      startsAt: appointment.starts_at,
    },
    payment: await findPayment(db, application.id),
    help,
    // Not the current time, so that a receipt is the same file at each print. In the general queue, where an appointment has no
    // day, the papers of the receipt depend on `today`.
    issuedAt: appointment.confirmed_at ?? now,
    today: dayIn(homeTimeZone, now),
  }
}

async function findPayment(db: Kysely<Schema>, applicationId: string): Promise<ReceiptFacts['payment']> {
  return db
    .selectFrom('payment')
    .select(['status', 'amount', 'currency', 'order_id as orderId'])
    .where('application_id', '=', applicationId)
    .where('status', '=', 'SUCCESS')
    .where('refund_due', '=', false)
    .orderBy('created_at', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst()
}
