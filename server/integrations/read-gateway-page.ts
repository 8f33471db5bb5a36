import type { GatewayForm } from './payment-provider.ts'

/** A form with more has another purpose. */
const maxFields = 60

/**
 * Takes the one form out of a bank's page: where it is posted, and its hidden fields. Nothing else of the page is
 * ever shown or run by us; a page that holds no such form, or more than one, gives nothing.
 */
export function readGatewayPage(html: string): GatewayForm | undefined {
  const page = html.replaceAll(/<!--[\s\S]*?-->|<(script|style|noscript|template)\b[\s\S]*?<\/\1\s*>/gi, '')
  const [form, ...others] = tagsOf(page, 'form')
  if (!form || others.length > 0 || form.get('method')?.toLowerCase() !== 'post') return undefined
  const url = form.get('action') ?? ''
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined
  if (['base', 'select', 'textarea'].some(name => tagsOf(page, name).length > 0)) return undefined
  const inputs = tagsOf(page, 'input').filter(input => !isButton(input))
  const fields = inputs.map(input => ({ name: input.get('name') ?? '', value: input.get('value') ?? '' }))
  const isPlain =
    inputs.every(input => typeOf(input) === 'hidden') && fields.every(({ name }) => /^[\w.[\]-]+$/.test(name))
  return isPlain && fields.length > 0 && fields.length <= maxFields ? { url, fields, html } : undefined
}

type Attributes = Map<string, string>

/** All tags in their order, so that what looks like one in a value is part of that value. */
const tags = /<([a-z][\w-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/gi

function tagsOf(page: string, wanted: string): Attributes[] {
  return Array.from(page.matchAll(tags))
    .filter(([, name = '']) => name.toLowerCase() === wanted)
    .map(([, , inside = '']) => attributesOf(inside))
}

/** The first of a name counts, as in a browser. */
function attributesOf(inside: string): Attributes {
  const attributes: Attributes = new Map()
  const pattern = /([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
  for (const [, name = '', double, single, bare] of inside.matchAll(pattern)) {
    const value = decode(double ?? single ?? bare ?? '')
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), value)
  }
  return attributes
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(text: string): string {
  return text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return entities[name.toLowerCase()] ?? whole
    const point = typeof hex === 'string' ? parseInt(hex, 16) : Number(decimal)
    return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole
  })
}

function typeOf(input: Attributes): string {
  return input.get('type')?.toLowerCase() ?? 'text'
}

function isButton(input: Attributes): boolean {
  return ['submit', 'button', 'image'].includes(typeOf(input))
}
