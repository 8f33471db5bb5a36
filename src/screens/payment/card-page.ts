/// <reference types="trusted-types" />
import { type CardForm, cardFields } from '#contract/payment.ts'
import { type CardPlaces, listedAddress } from './card-addresses.ts'

/** The one form that takes the applicant to the card page, and nothing else of what was answered. */
export type CardTarget = { url: string; fields: { name: string; value: string }[] }

/** A page, or the fields of the form (S12). */
export type CardAnswer = string | CardFormFields

/** Undefined for whatever is not one plain form to one of the gateways, that comes back to us. */
export function readCardAnswer(data: CardAnswer, places: CardPlaces): CardTarget | undefined {
  if (typeof data === 'string') return readCardPage(data, places)
  const url = listedAddress(data.payment_url, places.gateways)
  const fields = cardFields
    .filter(name => name !== 'payment_url')
    .map(name => ({ name, value: data[name] ?? '' }))
  return url !== undefined && fields.every(field => isSendable(field, places)) ? { url, fields } : undefined
}

/**
 * Reads a card page without letting it live: exactly one form, sent by POST to a gateway of ours, with nothing but
 * hidden fields whose names are known (PAY21), and around it nothing that could mean another page, another address
 * or another question. Its scripts never run; its words and looks are not taken over.
 */
export function readCardPage(html: string, places: CardPlaces): CardTarget | undefined {
  if (html.length > maxPageChars) return undefined
  const elements = elementsOf(parseInert(html))
  const forms = elements.filter(({ localName }) => localName === 'form')
  const [form] = forms
  if (!form || forms.length > 1 || !elements.every(isHarmless) || !isPlainPost(form)) return undefined
  const url = listedAddress(attributeOf(form, 'action'), places.gateways)
  const fields = elements
    .filter(({ localName }) => localName === 'input' || localName === 'button')
    .filter(isAsked)
  const named = fields.map(field => ({
    name: attributeOf(field, 'name') ?? '',
    value: attributeOf(field, 'value') ?? '',
  }))
  const isOnce = new Set(named.map(({ name }) => name)).size === named.length
  const isKnown =
    named.length > 0 && named.every(field => isSendable(field, places)) && fields.every(isHidden)
  return url !== undefined && isOnce && isKnown ? { url, fields: named } : undefined
}

type CardFormFields = typeof CardForm extends { _zod: { output: infer Output } } ? Output : never

/** Characters; the pages of the gateways have some thousands. */
const maxPageChars = 200_000
const maxValueChars = 4_000

/** The applicant comes back to us, whatever became of the payment. */
const waysBack = ['return_url', 'cancel_url', 'refusal_url']

function isSendable(
  { name, value }: { name: string; value: string },
  { gateways, own }: CardPlaces,
): boolean {
  if (!cardFields.some(field => field === name) || value.length > maxValueChars) return false
  if (name === 'payment_url') return listedAddress(value, gateways) !== undefined
  return !waysBack.includes(name) || value === '' || listedAddress(value, own) !== undefined
}

/** What a page may consist of beside its form: words, looks and a script that sends it, none of which is used. */
const harmless = new Set(
  (
    'html head title meta link style script noscript body div span p br hr h1 h2 h3 h4 b i strong em small center ' +
    'img header main footer section table tbody tr td th ul ol li a form label input button'
  ).split(' '),
)

function isHarmless(element: Element): boolean {
  if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml' || !harmless.has(element.localName))
    return false
  // A page that goes elsewhere by itself, or a field or button that belongs to another form or sends it elsewhere.
  const elsewhere = ['form', 'formaction', 'formmethod', 'formtarget', 'formenctype', 'is', 'slot']
  return attributeOf(element, 'http-equiv') === null
    ? elsewhere.every(name => attributeOf(element, name) === null)
    : isPlainMeta(element)
}

function isPlainMeta(element: Element): boolean {
  return ['content-type', 'x-ua-compatible'].includes(
    attributeOf(element, 'http-equiv')?.toLowerCase().trim() ?? '',
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

/** Its own button, which ours takes the place of, asks nothing; whatever it would send is not sent. */
function isAsked(element: Element): boolean {
  return !['submit', 'button', 'image'].includes(typeOf(element))
}

function isHidden(element: Element): boolean {
  return element.localName === 'input' && typeOf(element) === 'hidden'
}

function typeOf(element: Element): string {
  const fallback = element.localName === 'button' ? 'submit' : 'text'
  return attributeOf(element, 'type')?.toLowerCase() ?? fallback
}

/** A field can take the name of any property of its form or its page: only the prototype's own is asked. */
function attributeOf(element: Element, name: string): string | null {
  return Element.prototype.getAttribute.call(element, name)
}

function elementsOf(page: Document): Element[] {
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_ELEMENT)
  const elements: Element[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) elements.push(node as Element) // as filtered
  return elements
}

let policy: { createHTML(html: string): unknown } | undefined

/** A document of DOMParser runs no script and loads nothing; the policy's name stands in the portal's CSP. */
function parseInert(html: string): Document {
  policy ??= window.trustedTypes?.createPolicy('card-page', { createHTML: text => text })
  const trusted = policy ? policy.createHTML(html) : html
  return new DOMParser().parseFromString(trusted as string, 'text/html') // the DOM's types know no trusted text yet
}
