/// <reference types="trusted-types" />
import { type CardForm, cardFields } from '#contract/payment.ts'

/** The one form that takes the applicant to the card page, and nothing else of what was answered. */
export type CardTarget = { url: string; fields: { name: string; value: string }[] }

/** A page, or the fields of the form (S12); undefined for whatever is not one safe form. */
export function readCardAnswer(data: string | Record<keyof CardFormFields, string>): CardTarget | undefined {
  if (typeof data === 'string') return readCardPage(data)
  const fields = cardFields
    .filter(name => name !== 'payment_url')
    .map(name => ({ name, value: data[name] ?? '' }))
  return isSecure(data.payment_url) ? { url: data.payment_url, fields } : undefined
}

/**
 * Reads a card page without letting it live: exactly one form, sent by POST to an https address, with nothing
 * but hidden fields whose names are known (PAY21). Its scripts never run; its words and looks are not taken over.
 */
export function readCardPage(html: string): CardTarget | undefined {
  const page = parseInert(html)
  const [form, ...others] = page.querySelectorAll('form')
  if (!form || others.length > 0 || page.querySelector('base, iframe, frame, object, embed')) return undefined
  const url = form.getAttribute('action') ?? ''
  if (form.getAttribute('method')?.toLowerCase() !== 'post' || !isSecure(url)) return undefined
  const inputs = [...page.querySelectorAll('input, select, textarea')].filter(input => !isSubmit(input))
  const fields = inputs.map(input => ({
    name: input.getAttribute('name') ?? '',
    value: input.getAttribute('value') ?? '',
  }))
  const names = new Set(fields.map(({ name }) => name))
  const known = inputs.every(isHidden) && fields.every(({ name }) => cardFields.some(field => field === name))
  return known && names.size === fields.length && names.size > 0 ? { url, fields } : undefined
}

type CardFormFields = typeof CardForm extends { _zod: { output: infer Output } } ? Output : never

function isSecure(address: string): boolean {
  try {
    return new URL(address).protocol === 'https:'
  } catch {
    return false // no address at all, or one relative to a page that is not ours
  }
}

function isHidden(input: Element): boolean {
  return input.matches('input') && typeOf(input) === 'hidden'
}

/** A button of the page, which our own takes the place of; whatever it would send is not sent. */
function isSubmit(input: Element): boolean {
  return input.matches('input') && ['submit', 'button', 'image'].includes(typeOf(input))
}

function typeOf(input: Element): string {
  return input.getAttribute('type')?.toLowerCase() ?? ''
}

let policy: { createHTML(html: string): unknown } | undefined

/** A document of DOMParser runs no script and loads nothing; the policy's name stands in the portal's CSP. */
function parseInert(html: string): Document {
  policy ??= window.trustedTypes?.createPolicy('card-page', { createHTML: text => text })
  const trusted = policy ? policy.createHTML(html) : html
  return new DOMParser().parseFromString(trusted as string, 'text/html') // the DOM's types know no trusted text yet
}
