import * as z from 'zod/mini'

/** An application's id: a UUID, or an existing back end's own text. */
export const ApplicationId = z
  .string()
  .check(z.minLength(1), z.maxLength(64), z.regex(/^[\w-]+$/))
  .brand<'ApplicationId'>()
export type ApplicationId = z.infer<typeof ApplicationId>

/** What the applicant reads on the card and on the receipt. */
export const ApplicationNumber = z
  .string()
  .check(z.minLength(1), z.maxLength(64), z.regex(/^[\w-]+$/))
  .brand<'ApplicationNumber'>()
export type ApplicationNumber = z.infer<typeof ApplicationNumber>

export const AppointmentId = z
  .string()
  .check(z.minLength(1), z.maxLength(64), z.regex(/^[\w-]+$/))
  .brand<'AppointmentId'>()
export type AppointmentId = z.infer<typeof AppointmentId>

export const PaymentId = z
  .string()
  .check(z.minLength(1), z.maxLength(64), z.regex(/^[\w-]+$/))
  .brand<'PaymentId'>()
export type PaymentId = z.infer<typeof PaymentId>

export const ApplicantId = z
  .string()
  .check(z.minLength(1), z.maxLength(64), z.regex(/^[\w-]+$/))
  .brand<'ApplicantId'>()
export type ApplicantId = z.infer<typeof ApplicantId>
