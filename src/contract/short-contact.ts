import type { AccountContact, ContactKind } from './account.ts'
import { formatPhone } from './phone.ts'

/** Leaves out the middle of a contact, because other people may see the screen: `+237 6` and `67`, `a` and `@example.cm`. */
export function shortenContact({ kind, value }: { kind: ContactKind; value: string }): AccountContact {
  if (kind === 'email') return { kind, start: value.slice(0, 1), end: value.slice(value.indexOf('@')) }
  const shown = formatPhone(value)
  const firstDigits = 4
  const start = /^(?:\D*\d){4}/.exec(shown)?.[0] ?? ''
  return { kind, start: value.length > firstDigits ? start : '', end: value.slice(-2) }
}

/** Returns a shortened contact as screens show it: `+237 6 ••• 67`, on one line, and `a•••@example.cm`. */
export function showShortened({ kind, start, end }: AccountContact): string {
  return `${start} ••• ${end}`.trim().replaceAll(' ', kind === 'phone' ? '\u00a0' : '')
}
