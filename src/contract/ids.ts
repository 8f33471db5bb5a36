import * as z from 'zod/mini'
import { idPattern } from './id-text.ts'

export const ApplicationId = z.string().check(z.regex(idPattern)).brand<'ApplicationId'>()
export type ApplicationId = z.infer<typeof ApplicationId>

/** The number that the applicant sees on the card and on the receipt. */
export const ApplicationNumber = z.string().check(z.regex(idPattern)).brand<'ApplicationNumber'>()
export type ApplicationNumber = z.infer<typeof ApplicationNumber>

export const AppointmentId = z.string().check(z.regex(idPattern)).brand<'AppointmentId'>()
export type AppointmentId = z.infer<typeof AppointmentId>

export const PaymentId = z.string().check(z.regex(idPattern)).brand<'PaymentId'>()
export type PaymentId = z.infer<typeof PaymentId>

export const ApplicantId = z.string().check(z.regex(idPattern)).brand<'ApplicantId'>()
export type ApplicantId = z.infer<typeof ApplicantId>
