/** A hint or an error is read aloud, and each text with the attribute `data-listen`. */
const spoken = '[data-listen], [id$="-hint"], [id$="-error"], [role="alert"] li'
const headings = 'h1, h2, h3'
/** Never read aloud: names (`bdi`), personal data and what the page does not show. */
const silent = 'bdi, [data-private], [hidden], [aria-hidden="true"], details:not([open]) > :not(summary)'
/** A button, a label or a list of answers is read aloud only when it has `data-listen` itself; a `select` never is. */
const controls = 'button:not([data-listen]), select, dl:not([data-listen]), label:not([data-listen])'
/** The voice reads all texts of one line of a block as one sentence. */
const lineEnd = '\n'
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
    const { previousSibling, textContent } = walker.currentNode
    const isNewLine = (previousSibling ?? parent.previousSibling)?.nodeName === 'BR'
    const text = (textContent ?? '').replaceAll(/\s+/g, ' ')
    texts.set(block, `${texts.get(block) ?? ''}${isNewLine ? lineEnd : ''}${text}`)
  }
  return [...texts.values()]
    .flatMap(text => text.split(lineEnd))
    .map(text => text.trim())
    .filter(text => text !== '')
}

function isSpoken(element: Element): boolean {
  if (element.closest(silent)) return false
  if (element.closest(headings)) return true
  return element.closest(spoken) !== null && element.closest(controls) === null
}
