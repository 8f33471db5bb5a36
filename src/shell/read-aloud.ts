/**
 * Texts with the attribute `data-listen`, hints and errors. Never a control, a list of answers, or a name (`bdi`), unless
 * it has the attribute itself.
 */
const spoken = '[data-listen], [id$="-hint"], [id$="-error"], [role="alert"] li'
const headings = 'h1, h2, h3'
const silent = 'bdi, [data-private], [hidden], [aria-hidden="true"], details:not([open]) > :not(summary)'
const controls = 'button:not([data-listen]), select, dl:not([data-listen]), label:not([data-listen])'
/** Texts of one block are one sentence for the voice. */
const blocks = 'h1, h2, h3, p, li, dt, dd, legend, label, div, fieldset, [data-listen]'

/**
 * The texts of this part of the page that may be read aloud, in their order: headings, labels, hints, errors, the
 * answers of a short list and the main button. What the applicant has typed is never one of them, because a stranger may
 * stand beside a kiosk.
 */
export function findSpokenTexts(root: Element): string[] {
  const texts = new Map<Element, string>()
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement
    if (!parent || !isSpoken(parent)) continue
    const block = parent.closest(blocks) ?? root
    const pause = walker.currentNode.previousSibling?.nodeName === 'BR' ? ' ' : ''
    texts.set(block, `${texts.get(block) ?? ''}${pause}${walker.currentNode.textContent ?? ''}`)
  }
  return [...texts.values()].map(text => text.replaceAll(/\s+/g, ' ').trim()).filter(text => text !== '')
}

function isSpoken(element: Element): boolean {
  if (element.closest(silent)) return false
  if (element.closest(headings)) return true
  return element.closest(spoken) !== null && element.closest(controls) === null
}
