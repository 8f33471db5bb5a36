/// <reference types="trusted-types" />
import { type CardForm, cardFields } from '#contract/payment.ts'
import { type CardOrigins, listedAddress, plainOrigin } from './card-addresses.ts'

/** The form that opens the card page: the portal uses no other part of `data` in the response. */
export type CardTarget = { url: string; fields: { name: string; value: string }[] }

/** `data` of `CardAnswer` in the contract: an HTML page, or the fields of the form (S12). */
export type CardAnswerData = string | CardFormFields

/** A form whose addresses are not checked yet. */
type UncheckedForm = { action: string | null | undefined; fields: CardTarget['fields'] }

/**
 * Returns undefined unless the response is one plain form that posts to a listed gateway. A return address in one of
 * the form's known fields must be an address of the portal or of its server.
 */
export function readCardAnswer(data: CardAnswerData, origins: CardOrigins): CardTarget | undefined {
  const form = readForm(data)
  return form && targetOf(form, origins)
}

/** Returns the origin of a form when only its gateway is not listed: the notice of the refused payment names it. */
export function unlistedOrigin(data: CardAnswerData, { own }: Pick<CardOrigins, 'own'>): string | undefined {
  const form = readForm(data)
  if (!form) return undefined
  const origin = plainOrigin(form.action)
  return origin !== undefined && targetOf(form, { gateways: [origin], own }) ? origin : undefined
}

function readForm(data: CardAnswerData): UncheckedForm | undefined {
  if (typeof data === 'string') return readCardPage(data)
  const fields = cardFields
    .filter(name => name !== 'payment_url')
    .map(name => ({ name, value: data[name] ?? '' }))
  return { action: data.payment_url, fields }
}

function targetOf({ action, fields }: UncheckedForm, origins: CardOrigins): CardTarget | undefined {
  const url = listedAddress(action, origins.gateways)
  return url !== undefined && fields.every(field => isSendable(field, origins)) ? { url, fields } : undefined
}

/**
 * Reads the form of a card page without running the page. Accepts exactly one form with hidden fields only, whatever
 * their names: each bank has its own. Refuses a page with an element that is not in `harmless`, or with an attribute that
 * could redirect the form. Scripts, texts and styles of the page are ignored.
 */
function readCardPage(html: string): UncheckedForm | undefined {
  if (html.length > maxPageChars) return undefined
  const elements = elementsOf(parseInert(html))
  const forms = elements.filter(({ localName }) => localName === 'form')
  const [form] = forms
  if (!form || forms.length > 1 || !elements.every(isHarmless) || !isPlainPost(form)) return undefined
  const inputs = elements
    .filter(({ localName }) => localName === 'input' || localName === 'button')
    .filter(isField)
  const fields = inputs.map(input => ({
    name: attributeOf(input, 'name') ?? '',
    value: attributeOf(input, 'value') ?? '',
  }))
  const isOnce = new Set(fields.map(({ name }) => name)).size === fields.length
  const isPlain = fields.length > 0 && fields.length <= maxFields && inputs.every(isHidden)
  return isOnce && isPlain ? { action: attributeOf(form, 'action'), fields } : undefined
}

type CardFormFields = typeof CardForm extends { _zod: { output: infer Output } } ? Output : never

/** The pages of the gateways have a few thousand characters. */
const maxPageChars = 200_000
const maxFields = 100
const maxNameChars = 100
const maxValueChars = 4_000

/** Fields with a return address, which must lead to the portal or to its server. */
const returnFields = ['return_url', 'cancel_url', 'refusal_url']

function isSendable(
  { name, value }: { name: string; value: string },
  { gateways, own }: CardOrigins,
): boolean {
  if (name === '' || name.length > maxNameChars || value.length > maxValueChars) return false
  if (name === 'payment_url') return listedAddress(value, gateways) !== undefined
  return !returnFields.includes(name) || value === '' || listedAddress(value, own) !== undefined
}

/** The only elements that a card page may contain. The portal uses the form and its fields, and ignores the others. */
const harmless = new Set(
  (
    'html head title meta link style script noscript body div span p br hr h1 h2 h3 h4 b i strong em small center ' +
    'img header main footer section table tbody tr td th ul ol li a form label input button'
  ).split(' '),
)

function isHarmless(element: Element): boolean {
  if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml' || !harmless.has(element.localName))
    return false
  // These attributes can attach a field to another form, or change how an element behaves or how the form is sent.
  const redirecting = ['form', 'formaction', 'formmethod', 'formtarget', 'formenctype', 'is', 'slot']
  return redirecting.every(name => attributeOf(element, name) === null) && hasPlainHttpEquiv(element)
}

/** Whether the element has no `http-equiv`, or one that only names the format of the page. */
function hasPlainHttpEquiv(element: Element): boolean {
  return ['content-type', 'x-ua-compatible', undefined].includes(
    attributeOf(element, 'http-equiv')?.toLowerCase().trim(),
  )
}

function isPlainPost(form: Element): boolean {
  const encoding = attributeOf(form, 'enctype') ?? 'application/x-www-form-urlencoded'
  const target = attributeOf(form, 'target') ?? '_self'
  return (
    attributeOf(form, 'method')?.toLowerCase() === 'post' &&
    encoding.toLowerCase() === 'application/x-www-form-urlencoded' &&
    ['_self', '_top', ''].includes(target.toLowerCase())
  )
}

/**
 * Leaves out the buttons of the page: the portal shows its own button and does not send their values. A button of type
 * `reset` counts as a field, so that its page is refused.
 */
function isField(element: Element): boolean {
  return !['submit', 'button', 'image'].includes(typeOf(element))
}

function isHidden(element: Element): boolean {
  return element.localName === 'input' && typeOf(element) === 'hidden'
}

function typeOf(element: Element): string {
  const fallback = element.localName === 'button' ? 'submit' : 'text'
  return attributeOf(element, 'type')?.toLowerCase() ?? fallback
}

/** Calls the method of the prototype, because a field named `getAttribute` would hide the method of its form. */
function attributeOf(element: Element, name: string): string | null {
  return Element.prototype.getAttribute.call(element, name)
}

function elementsOf(page: Document): Element[] {
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_ELEMENT)
  const elements: Element[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) elements.push(node as Element) // the walker shows elements only
  return elements
}

let policy: { createHTML(html: string): unknown } | undefined

/** A document of DOMParser runs no script and loads no file. The CSP of the portal lists the name of this policy. */
function parseInert(html: string): Document {
  policy ??= window.trustedTypes?.createPolicy('card-page', { createHTML: text => text })
  const trusted = policy ? policy.createHTML(html) : html
  return new DOMParser().parseFromString(trusted as string, 'text/html') // the DOM's types know no trusted text yet
}
