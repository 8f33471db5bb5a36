// oxlint-disable unicorn/consistent-function-scoping -- Playwright sends one function to the page, so it must contain all others
import type { Page } from 'playwright-core'

/**
 * Returns the layout faults of the page at normal size, with text twice as large (WCAG 1.4.4) and with wide spacing
 * (WCAG 1.4.12): sideways scrolling, and text that is cut off, off the screen, outside its box or overlapping. With
 * text twice as large also: words of which one letter is alone on a line. At normal size also: a second main button,
 * values of a list that begin at different edges, selects beside each other of different heights, numbers that break
 * although they fit into a line; on a wide screen single words in a last line; on a phone buttons that do not fill
 * their column, and targets lower than a finger needs.
 */
export function findLayoutFaultsOnPage(page: Page): Promise<string[]> {
  return page.evaluate(findLayoutFaults)
}

/** Runs in the page. One function of more than 60 lines, because the page gets nothing else. */
function findLayoutFaults(): string[] {
  /** `isFloating`: fixed or sticky. */
  type Line = { text: string; node: Node; rect: DOMRect; isFloating: boolean }
  const root = document.documentElement
  const styles = new Map<Element, CSSStyleDeclaration>()
  const wide = new CSSStyleSheet()
  wide.replaceSync(
    '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }' +
      'p { margin-bottom: 2em !important }',
  )
  const scrollPosition = [scrollX, scrollY] as const

  const faults = readAs('as it is')
  faults.push(...findMainButtons(), ...findUnevenLists(), ...findUnevenControls())
  faults.push(...findBrokenNumbers(), ...findSingleWords())
  if (root.clientWidth < 576) faults.push(...findNarrowButtons(), ...findLowTargets())
  root.style.fontSize = '200%'
  faults.push(...readAs('twice as large'))
  root.style.removeProperty('font-size')
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, wide]
  faults.push(...readAs('set wide'))
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter(sheet => sheet !== wide)
  scrollTo(...scrollPosition)
  return faults

  function readAs(size: string): string[] {
    styles.clear()
    const lines = readLines()
    const all = [
      ...findSideways(),
      ...findCut(),
      ...findAstray(lines),
      ...findOverlaps(lines),
      ...(size === 'twice as large' ? findLoneLetters(lines) : []),
    ]
    return [...new Set(all)].map(fault => `${size}: ${fault}`)
  }

  function findSideways(): string[] {
    if (root.scrollWidth <= root.clientWidth) return []
    const widest = [...document.body.querySelectorAll('*')].findLast(
      each => each.getBoundingClientRect().right > root.scrollWidth - 1,
    )
    return [`${root.scrollWidth} px wide: ${widest ? nameOf(widest) : ''}`]
  }

  /** An open dialog, else the page, has at most one main button outside of the cards of a list. */
  function findMainButtons(): string[] {
    const from = document.querySelector('dialog[open]') ?? document.querySelector('main') ?? document.body
    const buttons = [...from.querySelectorAll('[class*="_primary_"]')]
    const main = buttons.filter(button => isShown(button) && button.closest('article') === null)
    return main.length > 1 ? [`main buttons: ${main.map(nameOf).join(', ')}`] : []
  }

  /** The values beside their terms begin at one edge in all rows. */
  function findUnevenLists(): string[] {
    return [...document.querySelectorAll('dl')].flatMap(list => {
      const edges = [...list.querySelectorAll('dt + dd')].flatMap(value => {
        const term = value.previousElementSibling?.getBoundingClientRect()
        const { left, top } = value.getBoundingClientRect()
        return term && term.width > 0 && top < term.bottom && left > term.left ? [Math.round(left)] : []
      })
      return new Set(edges).size > 1 ? [`uneven values: ${nameOf(list)}`] : []
    })
  }

  /** Selects beside each other are equally high. */
  function findUnevenControls(): string[] {
    const controls = [...document.querySelectorAll('main select')].filter(isShown)
    return controls.flatMap((control, at) => {
      const { top, height } = control.getBoundingClientRect()
      const isUneven = controls.slice(0, at).some(each => {
        const other = each.getBoundingClientRect()
        return Math.abs(other.top - top) < 1 && Math.abs(other.height - height) > 1
      })
      return isUneven ? [`uneven controls: ${nameOf(control)}`] : []
    })
  }

  /** The number of an application or a payment order breaks only where it is longer than a line. */
  function findBrokenNumbers(): string[] {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const { 0: number, index } of (node.textContent ?? '').matchAll(/P[OP]-\d{4}-[\w-]+/g)) {
        const parent = node.parentElement
        if (!parent || !isShown(parent)) continue
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + number.length)
        const parts = [...range.getClientRects()]
        const width = parts.reduce((sum, part) => sum + part.width, 0)
        const line = climb(parent, each => /^(block|flex|grid)$/.test(styleOf(each).display))
        const row = line?.closest('dl > div') ?? line
        if (parts.length > 1 && row && width <= row.clientWidth) found.push(`broken number: ${number}`)
      }
    return found
  }

  /** Only on a wide screen and for words of usual length: a long word may leave the browser no choice. */
  function findSingleWords(): string[] {
    if (root.clientWidth < 1_000 || !CSS.supports('text-wrap: pretty')) return []
    return [...document.querySelectorAll('main p')].flatMap(paragraph => {
      const words = paragraph.textContent?.trim().split(/[ \n]+/) ?? []
      const last = words.at(-1)?.length ?? 0
      const node = paragraph.lastChild
      if (!isShown(paragraph) || paragraph.childNodes.length !== 1 || !(node instanceof Text)) return []
      const range = document.createRange()
      range.selectNodeContents(node)
      const lines = range.getClientRects().length
      range.setStart(node, Math.max(0, node.length - last - 2))
      const isAlone = last < 12 && lines > 1 && range.getClientRects().length > 1
      return isAlone ? [`a single word in the last line: ${nameOf(paragraph)}`] : []
    })
  }

  /**
   * A link or button of the main part, or a link of the footer, is at least 44 px high, unless it is inside a sentence.
   */
  function findLowTargets(): string[] {
    return [...document.querySelectorAll('main :is(a, button), footer a')]
      .filter(target => isShown(target) && target.getBoundingClientRect().height < 43.5)
      .filter(target => !isInSentence(target))
      .map(target => `low target: ${nameOf(target)}`)
  }

  function isInSentence({ parentElement }: Element): boolean {
    const nodes = [...(parentElement?.childNodes ?? [])]
    return nodes.some(node => node instanceof Text && node.data.trim() !== '')
  }

  /** On a phone a button with an edge of its own, outside dialogs, is as wide as the column. */
  function findNarrowButtons(): string[] {
    return [
      ...document.querySelectorAll('main :is([class*="_primary_button"], [class*="_secondary_button"])'),
    ]
      .filter(button => isShown(button) && button.closest('dialog') === null)
      .filter(button => {
        const column = button.parentElement ?? root
        const { paddingLeft, paddingRight } = styleOf(column)
        const width = column.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
        return button.getBoundingClientRect().width < width - 1
      })
      .map(button => `narrow button: ${nameOf(button)}`)
  }

  /** Boxes that hide a part of their content. */
  function findCut(): string[] {
    return [...document.body.querySelectorAll('*')].flatMap(element => {
      if (!isShown(element) || element instanceof HTMLInputElement) return []
      if (element instanceof HTMLSelectElement) return isChosenCut(element) ? [`cut ${nameOf(element)}`] : []
      const { overflowX, overflowY } = styleOf(element)
      // The carousel, a list of cards, may scroll sideways.
      const isCarousel = element.tagName === 'UL' && /auto|scroll/.test(overflowX)
      const isCut =
        (overflowX !== 'visible' && !isCarousel && element.scrollWidth > element.clientWidth + 1) ||
        (/hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 1)
      return isCut ? [`cut ${nameOf(element)}`] : []
    })
  }

  /** Whether the chosen option is longer than its line, so that the browser shows an ellipsis. */
  function isChosenCut(list: HTMLSelectElement): boolean {
    const { font, letterSpacing, wordSpacing, paddingLeft, paddingRight, whiteSpace } = styleOf(list)
    if (whiteSpace === 'normal' && styleOf(list).overflowWrap !== 'normal') return false
    const pen = document.createElement('canvas').getContext('2d')
    if (!pen) throw new Error('no canvas')
    Object.assign(pen, { font, letterSpacing, wordSpacing })
    const room = list.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    return pen.measureText(list.selectedOptions[0]?.text ?? '').width > room + 1
  }

  /** Text outside the screen, or outside the visible box around it. */
  function findAstray(lines: Line[]): string[] {
    return lines.flatMap(({ text, node, rect }) => {
      if (canScroll(node)) return []
      if (rect.left < -1 || rect.right > root.clientWidth + 1) return [`off the screen: ${text}`]
      const box = boxAround(node)?.getBoundingClientRect()
      const isOut =
        box &&
        (rect.left < box.left - 2 ||
          rect.right > box.right + 2 ||
          rect.top < box.top - 4 ||
          rect.bottom > box.bottom + 4)
      return isOut ? [`out of its box: ${text}`] : []
    })
  }

  function findOverlaps(lines: Line[]): string[] {
    const still = lines.filter(({ isFloating }) => !isFloating)
    return still.flatMap((one, at) =>
      still
        .slice(at + 1)
        .filter(other => other.node !== one.node && touch(one.rect, other.rect))
        .map(other => `one upon another: ${one.text} / ${other.text}`),
    )
  }

  /** Words of which one letter is alone on a line. An address, of mail or of a page, may break anywhere. */
  function findLoneLetters(lines: Line[]): string[] {
    return [...new Set(lines.map(({ node }) => node))].flatMap(node =>
      [...(node.textContent ?? '').matchAll(/(?<![\p{L}@.-])\p{L}{5,}(?![@.-]\p{L}|@)/gu)]
        .filter(({ 0: word, index }) => isBrokenAt(node, index) || isBrokenAt(node, index + word.length - 2))
        .map(([word]) => `a letter alone: ${word}`),
    )
  }

  /** Whether the character at `at` and the next one are on different lines. */
  function isBrokenAt(node: Node, at: number): boolean {
    const [top, next] = [at, at + 1].map(start => {
      const range = document.createRange()
      range.setStart(node, start)
      range.setEnd(node, start + 1)
      return range.getBoundingClientRect().bottom
    })
    return Math.abs((top ?? 0) - (next ?? 0)) > 2
  }

  /** The boxes of close lines overlap slightly although no letters touch. */
  function touch(one: DOMRect, other: DOMRect): boolean {
    const across = Math.min(one.right, other.right) - Math.max(one.left, other.left)
    const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
    return across > 2 && down > Math.min(one.height, other.height) / 2
  }

  /** Returns each visible line of text. When a dialog is open, only its lines, because it covers the rest. */
  function readLines(): Line[] {
    const from = document.querySelector('dialog[open]') ?? document.body
    const texts = document.createTreeWalker(from, NodeFilter.SHOW_TEXT)
    const lines: Line[] = []
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement
      const text = node.textContent?.trim() ?? ''
      if (!parent || text === '' || parent.closest('option') || !isShown(parent)) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const isFloating = climb(parent, each => /fixed|sticky/.test(styleOf(each).position)) !== undefined
      for (const rect of range.getClientRects())
        if (rect.width > 0) lines.push({ text: text.slice(0, 40), node, rect, isFloating })
    }
    return lines
  }

  function isShown(element: Element): boolean {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false
    // Visually hidden text for screen readers.
    return climb(element, each => styleOf(each).clip === 'rect(0px, 0px, 0px, 0px)') === undefined
  }

  function boxAround({ parentElement }: Node): Element | undefined {
    const isBox = (element: Element) => {
      const { backgroundColor, borderTopStyle, borderTopWidth } = styleOf(element)
      const hasEdge = borderTopStyle !== 'none' && parseFloat(borderTopWidth) > 0
      return hasEdge || !/, 0\)$|transparent/.test(backgroundColor)
    }
    return parentElement ? climb(parentElement, isBox) : undefined
  }

  function canScroll({ parentElement }: Node): boolean {
    const scrolls = (element: Element) => /auto|scroll/.test(styleOf(element).overflow)
    return parentElement !== null && climb(parentElement, scrolls) !== undefined
  }

  function climb(from: Element, is: (element: Element) => boolean): Element | undefined {
    for (let each: Element | null = from; each && each !== document.body; each = each.parentElement)
      if (is(each)) return each
    return undefined
  }

  function styleOf(element: Element): CSSStyleDeclaration {
    const known = styles.get(element) ?? getComputedStyle(element)
    styles.set(element, known)
    return known
  }

  function nameOf(element: Element): string {
    const words = element.getAttribute('name') ?? element.textContent?.trim().slice(0, 40) ?? ''
    return `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> ${words}`
  }
}
