import { knownDialCodes } from '#contract/dial-codes.ts'
import { homeDialCode } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'
import { splitMsisdn, subscriberDigits } from '#contract/phone.ts'

/** A phone input as it stands: the code out of the list, and what was typed or pasted beside it. */
export type TypedPhone = { dialCode: string; number: string }

/** The number meant; a pasted international one (+33…, 0033…) brings its own code along. */
export function readPhone({ dialCode, number }: TypedPhone): { dialCode: string; subscriber: string } {
  const international = /^\s*(?:\+|00)(.*)$/.exec(number)?.[1]
  if (international === undefined) return { dialCode, subscriber: subscriberDigits(dialCode, number) }
  const brought = splitMsisdn(subscriberDigits('', international), knownDialCodes)
  return { ...brought, subscriber: subscriberDigits(brought.dialCode, brought.subscriber) }
}

/** A pasted international number parted into code and rest, so that the list shows whose code it is. */
export function normalisePhone(phone: TypedPhone): TypedPhone {
  const { dialCode, subscriber } = readPhone(phone)
  return dialCode === phone.dialCode ? phone : { dialCode, number: subscriber }
}

/** The number a code was asked for before, to be mended rather than typed again. */
export function phoneOf(msisdn: string | undefined): TypedPhone {
  if (msisdn === undefined) return { dialCode: homeDialCode, number: '' }
  const { dialCode, subscriber } = splitMsisdn(msisdn, knownDialCodes)
  return { dialCode, number: subscriber }
}

/** What was typed or chosen before the script came. */
export function phoneTyped(device: Pick<Device, 'readPrerendered'>): TypedPhone | undefined {
  const number = device.readPrerendered('phoneNumber')?.text ?? ''
  const dialCode = device.readPrerendered('dialCode')?.text ?? homeDialCode
  return number === '' && dialCode === homeDialCode ? undefined : { dialCode, number }
}

/** Every number of Cameroon has nine digits; another count is let pass, but hardly reaches anybody. */
export function looksUnusual(phone: TypedPhone): boolean {
  const { dialCode, subscriber } = readPhone(phone)
  return dialCode === homeDialCode && subscriber !== '' && subscriber.length !== 9
}
