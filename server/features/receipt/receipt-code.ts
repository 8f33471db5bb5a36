import { createPrivateKey } from 'node:crypto'
import { clearHidden, type FormValues } from '#contract/application.ts'
import { readBirthYear } from '#contract/papers.ts'
import type { ReceiptFields } from '#contract/receipt-code.ts'
import { destinationOf } from '#contract/states.ts'
import type { ReceiptCodeOf } from '#server/features/appointments/read-appointment.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'
import type { Services } from '#server/calls/services.ts'
import { signReceipt, verifyAddress } from './qr-signature.ts'

/**
 * Returns the function that signs the content of a receipt's QR code and returns the text of the code: the URL of the page that
 * verifies the code.
 */
export function createReceiptCode({
  config,
  secrets,
}: Pick<Services, 'config' | 'secrets'>): (fields: ReceiptFields) => string {
  const key = createPrivateKey(secrets.receiptPrivateKey)
  return fields => verifyAddress(config.publicOrigin, signReceipt(fields, key))
}

/**
 * Returns the function that gives the code of the receipt of an appointment, as in the PDF of the same language. The function
 * returns undefined when the application has no receipt now, or another appointment.
 */
export function createReceiptCodeReader(services: Services): ReceiptCodeOf {
  const codeOf = createReceiptCode(services)
  return async ({ id, applicationId, applicationState, startsAt }, office) => {
    if (destinationOf(applicationState) !== 'final') return undefined
    const application = await services.db
      .selectFrom('application')
      .select(['id', 'number', 'data'])
      .where('id', '=', applicationId)
      .where('appointment_id', '=', id)
      .executeTakeFirst()
    if (application === undefined) return undefined
    return codeOf(
      receiptFields({
        applicationNumber: application.number,
        form: clearHidden(decryptForm(services, application)),
        appointment: { office, startsAt },
      }),
    )
  }
}

type Signed = {
  applicationNumber: string
  form: FormValues
  appointment: { office: string; startsAt: string | null }
}

/** The content of the QR code, not yet signed. */
export function receiptFields({ applicationNumber, form, appointment }: Signed): ReceiptFields {
  return {
    applicationNumber,
    name: fullName(form),
    yearOfBirth: readBirthYear(form),
    office: appointment.office,
    date: appointment.startsAt?.slice(0, 10) ?? null,
  }
}

export function fullName({ surname, givenName }: FormValues): string {
  return `${surname} ${givenName}`.trim()
}
