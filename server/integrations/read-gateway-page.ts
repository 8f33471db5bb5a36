import { type DefaultTreeAdapterTypes as Html, html as htmlNames, parse } from 'parse5'
import type { GatewayForm } from './payment-provider.ts'

/** A form with more fields has another purpose. */
const maxFields = 60

/**
 * Returns the only form of a bank's page: its address and its hidden fields. The portal never shows or runs any other
 * part of the page. Undefined when the page has no such form, more than one form, or a field that the payer fills in.
 */
export function readGatewayPage(html: string): GatewayForm | undefined {
  const elements = listElements(parse(html))
  const [form, ...others] = elements.filter(({ tagName }) => tagName === 'form')
  if (!form || others.length > 0 || attributeOf(form, 'method')?.toLowerCase() !== 'post') return undefined
  const url = attributeOf(form, 'action') ?? ''
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined
  if (elements.some(({ tagName }) => forbiddenTags.includes(tagName))) return undefined
  const inputs = elements.filter(element => element.tagName === 'input' && !isButton(element))
  const fields = inputs.map(input => ({
    name: attributeOf(input, 'name') ?? '',
    value: attributeOf(input, 'value') ?? '',
  }))
  const isPlain =
    inputs.every(input => typeOf(input) === 'hidden') && fields.every(({ name }) => /^[\w.[\]-]+$/.test(name))
  return isPlain && fields.length > 0 && fields.length <= maxFields ? { url, fields, html } : undefined
}

const forbiddenTags = ['base', 'select', 'textarea']

/**
 * Lists the HTML elements in document order, without those in a `<template>`, a script or a comment. A loop with a
 * stack, because a hostile page can nest elements deeper than recursion can go.
 */
function listElements(document: Html.Document): Html.Element[] {
  const elements: Html.Element[] = []
  const pending: Html.Node[] = [document]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('tagName' in node && node.namespaceURI === htmlNames.NS.HTML) elements.push(node)
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

function isButton(input: Html.Element): boolean {
  return ['submit', 'button', 'image'].includes(typeOf(input))
}
