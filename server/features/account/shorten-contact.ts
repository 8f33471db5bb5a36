import type { AccountContact } from '#contract/account.ts'
import { formatPhone } from '#contract/phone.ts'
import type { OwnContact } from './contact-rows.ts'

/** Leaves out the middle of a contact, because other people may see the screen: `+237 6` and `67`, `a` and `@example.cm`. */
export function shortenContact({ kind, value }: Pick<OwnContact, 'kind' | 'value'>): AccountContact {
  if (kind === 'email') return { kind, start: value.slice(0, 1), end: value.slice(value.indexOf('@')) }
  const shown = formatPhone(value)
  const firstDigits = 4
  const start = /^(?:\D*\d){4}/.exec(shown)?.[0] ?? ''
  return { kind, start: value.length > firstDigits ? start : '', end: value.slice(-2) }
}
