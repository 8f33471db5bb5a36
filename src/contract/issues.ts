/**
 * One code for each rule that a field can break, and one for each text of the specification that belongs to no field,
 * such as `exactly-9-digits` (S68). The catalogues of i18n have one text for each code. `too-long-8`: more than 8
 * characters. `phone-home`: too few or too many digits with the dial code 237; `phone-international`: with any other
 * dial code. `code-empty`: a field for a code is empty, such as that of the sign-in. `method-needed`: no payment method
 * is chosen.
 */
export const issueCodes = [
  'required',
  'not-valid',
  'code-empty',
  'too-long-8',
  'too-long-9',
  'too-long-12',
  'too-long-17',
  'too-long-26',
  'too-long-27',
  'too-long-31',
  'too-long-50',
  'too-long-80',
  'too-long-100',
  'exactly-9-digits',
  'exactly-12-digits',
  'exactly-17-digits',
  'exactly-9-characters',
  'exactly-12-characters',
  'exactly-17-characters',
  'at-most-17-digits',
  'digits-only',
  'phone-home',
  'phone-international',
  'phone-premium',
  'email-invalid',
  'expiry-before-issuance',
  'issuance-after-expiry',
  'expiry-past',
  'date-incomplete',
  'date-not-numbers',
  'year-four-digits',
  'date-impossible',
  'date-too-early',
  'date-in-future',
  'not-in-list',
  'method-needed',
] as const
export type IssueCode = (typeof issueCodes)[number]
export type Limit = 8 | 9 | 12 | 17 | 26 | 27 | 31 | 50 | 80 | 100

/** A broken rule of one field. */
export type Issue<Name extends string = string> = { field: Name; code: IssueCode }

/** Returns the issue code that a validator has as its message, or `not-valid` for any other message. */
export function toIssueCode(message: string | undefined): IssueCode {
  return issueCodes.find(code => code === message) ?? 'not-valid'
}
