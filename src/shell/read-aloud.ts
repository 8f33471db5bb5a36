/**
 * Texts with the attribute `data-listen`, hints and errors. Never a control, a list of answers, or a name (`bdi`), unless
 * it has the attribute itself.
 */
const spoken = '[data-listen], [id$="-hint"], [id$="-error"], [role="alert"] li'
const headings = 'h1, h2, h3'
const silent = 'bdi, [data-private], [hidden], [aria-hidden="true"], details:not([open]) > :not(summary)'
const controls = 'button:not([data-listen]), select, dl:not([data-listen]), label:not([data-listen])'
/** Texts of one line of a block are one sentence for the voice. */
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
