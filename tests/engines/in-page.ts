// All functions of this file except `inPage` run in the page, also in Chromium 92. The test sends them as text, so they may
// not use imports or newer built-in functions.

export type Query = {
  /** A heading is always the one of level 1. */
  role: 'button' | 'link' | 'heading' | 'radio' | 'checkbox' | 'field'
  /** The accessible name or its beginning, or the `name` attribute of a field. */
  name: string
  /** The name of the group around the element, or its beginning. */
  group?: string
}

export type Found =
  | { kind: 'absent' }
  | { kind: 'covered'; by: string }
  | {
      kind: 'found'
      x: number
      y: number
      tag: string
      value: string
      checked: boolean
      editable: boolean
      focused: boolean
    }

/** Returns an expression for `EnginePage.evaluate` that calls one of the functions below. */
export function inPage(
  call: 'locate' | 'choose' | 'textOfMain' | 'isReceiptDrawn',
  ...values: unknown[]
): string {
  const parts = [tidy, nameOf, isShown, inGroup, find, locate, choose, textOfMain, isReceiptDrawn]
  return `(() => { ${parts.map(String).join('\n')}; return ${call}(${values.map(value => JSON.stringify(value)).join()}) })()`
}

function tidy(text: string | null | undefined): string {
  return (text || '').replace(/\s+/g, ' ').trim()
}

function nameOf(element: Element): string {
  const label = element.getAttribute('aria-label')
  if (label) return tidy(label)
  const by = element.getAttribute('aria-labelledby')
  if (by)
    return tidy(
      by
        .split(' ')
        .map(id => document.getElementById(id)?.textContent)
        .join(' '),
    )
  if (element instanceof HTMLFieldSetElement) return tidy(element.querySelector('legend')?.textContent)
  const { labels } = element as HTMLInputElement // undefined where the element takes no label
  if (labels && labels.length > 0) return tidy(Array.from(labels, each => each.textContent).join(' '))
  return tidy(element.textContent)
}

function isShown(element: Element): boolean {
  return element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden'
}

function inGroup(element: Element, group: string | undefined): boolean {
  if (group === undefined) return true
  const around = element.parentElement?.closest('fieldset, [role="group"], [role="radiogroup"]')
  return around ? nameOf(around).startsWith(tidy(group)) : false
}

function find({ role, name, group }: Query): Element | undefined {
  const selectors = {
    button: 'button, [role="button"]',
    link: 'a[href]',
    heading: 'h1',
    radio: 'input[type="radio"]',
    checkbox: 'input[type="checkbox"]',
    field: 'input:not([type="radio"]):not([type="checkbox"]), textarea, select',
  }
  const wanted = tidy(name)
  const all = Array.from(document.querySelectorAll(selectors[role])).filter(
    each => (isShown(each) || role === 'radio' || role === 'checkbox') && inGroup(each, group),
  )
  const byName = all.find(each => each.getAttribute('name') === name && role === 'field')
  return (
    byName || all.find(each => nameOf(each) === wanted) || all.find(each => nameOf(each).startsWith(wanted))
  )
}

/** Scrolls to an element. Returns where to click it, or what covers it. */
function locate(query: Query): Found {
  const element = find(query)
  if (!element) return { kind: 'absent' }
  const input = element as HTMLInputElement // its properties are undefined when the element is of another kind
  // A styled radio button is hidden under its label.
  const target =
    (query.role === 'radio' || query.role === 'checkbox') && input.labels?.[0] ? input.labels[0] : element
  target.scrollIntoView({ block: 'center', behavior: 'auto' })
  const { left, top, width, height } = target.getBoundingClientRect()
  const x = Math.round(left + Math.min(width / 2, 120))
  const y = Math.round(top + height / 2)
  const hit = document.elementFromPoint(x, y)
  const label = hit?.closest('label')
  const reached =
    hit && (target.contains(hit) || hit.contains(target) || (label && label.control === element))
  if (!reached)
    return { kind: 'covered', by: hit ? `${hit.tagName} ${tidy(hit.textContent).slice(0, 40)}` : 'nothing' }
  const editable = !input.readOnly && !input.disabled
  return {
    kind: 'found',
    x,
    y,
    tag: element.tagName,
    value: input.value,
    checked: input.checked,
    editable,
    focused: document.activeElement === element,
  }
}

/** Selects an option by events, because the open list is a window of the operating system. */
function choose(query: Query, by: { value?: string; label?: string; index?: number }): boolean {
  const list = find(query)
  if (!(list instanceof HTMLSelectElement) || list.disabled) return false
  const option = Array.from(list.options).find((each, index) =>
    by.index === undefined
      ? each.value === by.value || (by.label !== undefined && tidy(each.label) === by.label)
      : index === by.index,
  )
  if (!option || option.disabled) return false
  list.focus()
  list.value = option.value
  list.dispatchEvent(new Event('input', { bubbles: true }))
  list.dispatchEvent(new Event('change', { bubbles: true }))
  return true
}

function textOfMain(): string {
  return tidy((document.querySelector('main') || document.body).innerText)
}

/**
 * Whether the first page of the receipt has more than its green lines, which are drawn first: more than 500 nearly black
 * pixels, as its text and its QR code have them.
 */
function isReceiptDrawn(): boolean {
  const canvas = document.querySelector('canvas')
  if (!canvas || canvas.width === 0) return false
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data || []
  let dark = 0
  for (let at = 0; at < pixels.length; at += 4) {
    const brightest = Math.max(pixels[at] || 0, pixels[at + 1] || 0, pixels[at + 2] || 0)
    if (brightest < 85 && (pixels[at + 3] || 0) > 200) dark += 1
  }
  return dark > 500
}
