import { type DefaultTreeAdapterTypes as Html, defaultTreeAdapter, html as htmlNames, parse } from 'parse5'
import type { GatewayForm } from './payment-provider.ts'

/** A form with more fields has another purpose. */
const maxFields = 60

/**
 * Returns the only form of a bank's page: its address, the hidden fields that a browser would send with it, and in `html` the
 * unchanged page. The portal never shows or runs any other part of the page than this form. Undefined when the page has no
 * such form, more than one form, or a field that the payer fills in.
 */
export function readGatewayPage(html: string): GatewayForm | undefined {
  const { document, readInForm } = parsePage(html)
  const elements = listElements(document)
  const [form, ...others] = elements.filter(({ tagName }) => tagName === 'form')
  if (!form || others.length > 0 || attributeOf(form, 'method')?.toLowerCase() !== 'post') return undefined
  const url = attributeOf(form, 'action') ?? ''
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined
  if (elements.some(({ tagName }) => forbiddenTags.includes(tagName))) return undefined
  const inputs = elements.filter(element => element.tagName === 'input' && !isButton(element))
  const enabled = new Set(listElements(document, isDisabled))
  const inForm = new Set([...readInForm, ...listElements(form)])
  const sent = inputs.filter(input => enabled.has(input) && isFieldOf(form, input, inForm))
  const fields = sent.map(input => ({
    name: attributeOf(input, 'name') ?? '',
    value: attributeOf(input, 'value') ?? '',
  }))
  const isPlain =
    inputs.every(input => typeOf(input) === 'hidden') && fields.every(({ name }) => /^[\w.[\]-]+$/.test(name))
  return isPlain && fields.length > 0 && fields.length <= maxFields ? { url, fields, html } : undefined
}

const forbiddenTags = ['base', 'select', 'textarea']

/**
 * `readInForm`: the elements that the parser read while a form was open. In a table, or where end tags are in the wrong
 * order, a field of a form is not inside the form's element.
 */
function parsePage(html: string): { document: Html.Document; readInForm: ReadonlySet<Html.Element> } {
  const readInForm = new Set<Html.Element>()
  const document = parse(html, {
    treeAdapter: {
      ...defaultTreeAdapter,
      onElementCreated(element, { formElement, isInTemplate }) {
        if (formElement && !isInTemplate) readInForm.add(element)
      },
    },
  })
  return { document, readInForm }
}

/**
 * Lists the HTML elements in document order, without those in a `<template>`, a script or a comment. Leaves out each element
 * for which `isLeftOut` returns true, with all elements in it. A loop with a stack, because a hostile page can nest elements
 * deeper than recursion can go.
 */
function listElements(
  root: Html.Document | Html.Element,
  isLeftOut: (element: Html.Element) => boolean = () => false,
): Html.Element[] {
  const elements: Html.Element[] = []
  const pending: Html.Node[] = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('tagName' in node && node.namespaceURI === htmlNames.NS.HTML) {
      if (isLeftOut(node)) continue
      elements.push(node)
    }
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) pending.push(child)
  }
  return elements
}

/** Undefined when the element has no such attribute; parse5 keeps the first of several, as a browser does. */
function attributeOf(element: Html.Element, name: string): string | undefined {
  return element.attrs.find(attribute => attribute.name === name)?.value
}

function typeOf(input: Html.Element): string {
  return attributeOf(input, 'type')?.toLowerCase() ?? 'text'
}

/** An attribute `form` decides before the place of the field. */
function isFieldOf(form: Html.Element, input: Html.Element, inForm: ReadonlySet<Html.Element>): boolean {
  const formId = attributeOf(input, 'form')
  if (formId === undefined) return inForm.has(input)
  return formId !== '' && formId === attributeOf(form, 'id')
}

/** A disabled `<fieldset>` disables all fields in it. */
function isDisabled(element: Html.Element): boolean {
  return ['input', 'fieldset'].includes(element.tagName) && attributeOf(element, 'disabled') !== undefined
}

function isButton(input: Html.Element): boolean {
  return ['submit', 'button', 'image'].includes(typeOf(input))
}
