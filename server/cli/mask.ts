/** Masks personal data so that an operator can compare it with what a caller says, but cannot learn it. */
import type { ContactKind } from '#contract/account.ts'
import { isApplicationState } from '#contract/states.ts'
import { readTypedContact } from './typed-contact.ts'

/** `Ngo Marie` becomes `N** M****`. */
export function maskName(name: string): string {
  return name
    .split(/\s+/)
    .map(word => word.replace(/(?<=.)./gu, '*'))
    .join(' ')
}

/** `237671234567` becomes `+237*******67`; `awa@example.cm` becomes `a**@example.cm`; `a@example.cm` becomes `*@example.cm`. */
export function maskContact({ kind, value }: { kind: ContactKind; value: string }): string {
  if (kind === 'phone')
    return `+${value.slice(0, 3)}${'*'.repeat(Math.max(value.length - 5, 0))}${value.slice(-2)}`
  const at = value.lastIndexOf('@')
  return `${at > 1 ? value.slice(0, 1) : ''}${'*'.repeat(Math.max(at - 1, 1))}${value.slice(at)}`
}

/**
 * Capitals, then a dash, then a digit: the number of an application or order; a document's number has no dash. One to
 * five digits: the id of an office; a longer id is masked. Digits with two dashes: a day.
 */
const maskedNever = /^(?:[A-Z]{2}[A-Z_]*-[A-Z_-]*\d[A-Z\d_-]*|\d{1,5}|\d{4}-\d\d-\d\d)$/

/** Keeps numbers of applications and orders, states, short ids of offices, and days. Masks every other text. */
export function maskOperand(text: string): string {
  if (maskedNever.test(text) || isApplicationState(text)) return text
  const contact = readTypedContact(text)
  return contact === undefined ? maskName(text) : maskContact(contact)
}
