import * as z from 'zod/mini'
import { idPattern } from './id-text.ts'

/** The specification gives ids no type: another back end may send numbers. The portal uses text. */
const idText = z.pipe(
  z.pipe(
    z.union([z.string(), z.number()]),
    z.transform(id => String(id)),
  ),
  z.string().check(z.regex(idPattern)),
)

export const ApplicationId = idText.brand<'ApplicationId'>()
export type ApplicationId = z.infer<typeof ApplicationId>

/** The number that the applicant sees in the list of applications and on the receipt. */
export const ApplicationNumber = idText.brand<'ApplicationNumber'>()
export type ApplicationNumber = z.infer<typeof ApplicationNumber>

/** The parameters of the address of every page of one application. */
export type ApplicationParams = { appId: ApplicationId; appNumber: ApplicationNumber }

export const AppointmentId = idText.brand<'AppointmentId'>()
export type AppointmentId = z.infer<typeof AppointmentId>

export const PaymentId = idText.brand<'PaymentId'>()
export type PaymentId = z.infer<typeof PaymentId>

export const ApplicantId = idText.brand<'ApplicantId'>()
export type ApplicantId = z.infer<typeof ApplicantId>

export const SessionId = idText.brand<'SessionId'>()
export type SessionId = z.infer<typeof SessionId>
