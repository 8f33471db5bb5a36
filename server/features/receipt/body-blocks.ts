import { drawGrid, planGrid } from './labelled-grid.ts'
import type { GridStyle } from './labelled-grid.ts'
import type { Receipt } from './receipt.ts'
import { addElement, area, drawDecoration, heightOf, ink, makeRoom, writeText } from './sheet.ts'
import type { Sheet, Style } from './sheet.ts'

const headingStyle: Style = { font: 'bold', size: 10, colour: ink.accent }
const itemStyle: Style = { font: 'regular', size: 9, colour: ink.text }
const blockGapPt = 4
const tickBoxPt = 8.5
const itemIndentPt = 15
/**
 * A section of at most this height moves to the next page as a whole. A higher one breaks: otherwise too much of a page
 * could stay empty.
 */
const wholeSectionPt = 200
const itemGapPt = 18
const itemWidth = (area.width - itemGapPt) / 2 - itemIndentPt

const gridStyle: GridStyle = {
  x: area.left,
  width: area.width,
  // Narrow columns: a short answer takes few, a longer one more, so that a usual receipt fits on one page.
  columns: 24,
  columnGap: 9,
  lineGap: 2.5,
  label: { font: 'regular', size: 7.5, colour: ink.label },
  value: { font: 'regular', size: 9.5, colour: ink.text },
  maxValueHeight: 600,
}

export function drawSection(sheet: Sheet, section: Receipt['sections'][number]): void {
  const lines = planGrid(sheet, section.rows, gridStyle)
  if (lines.length === 0) return
  const height = lines.reduce((sum, line) => sum + line.height, 0)
  const keptTogether = height <= wholeSectionPt ? height : (lines[0]?.height ?? 0)
  const element = startBlock(sheet, section.heading, keptTogether)
  drawGrid(sheet, element, { lines, style: gridStyle })
  sheet.y += blockGapPt
}

/** Draws the papers to bring in two columns, each with a box to tick. */
export function drawPapers(sheet: Sheet, papers: Receipt['papers']): void {
  if (papers.items.length === 0) return
  const element = startBlock(sheet, papers.heading, heightOfItem(sheet, papers.items[0] ?? ''))
  const list = addElement(sheet, element, { type: 'L' })
  for (let index = 0; index < papers.items.length; index += 2) {
    const pair = papers.items.slice(index, index + 2)
    const height = Math.max(...pair.map(item => heightOfItem(sheet, item)))
    makeRoom(sheet, height)
    pair.forEach((item, column) => {
      drawItem(sheet, list, { item, x: area.left + column * (itemWidth + itemIndentPt + itemGapPt) })
    })
    sheet.y += height
  }
  sheet.y += blockGapPt
}

/** Starts a block. `keptTogether`: how much of its content stays on the page of its heading, in points. */
function startBlock(sheet: Sheet, heading: string, keptTogether: number): PDFKit.PDFStructureElement {
  const height = heightOf(sheet, heading, { style: headingStyle, width: area.width })
  makeRoom(sheet, height + 5 + keptTogether)
  const element = addElement(sheet, sheet.root, { type: 'Sect' })
  const box = { x: area.left, y: sheet.y, width: area.width }
  addElement(sheet, element, {
    type: 'H2',
    draw: () => writeText(sheet, `${heading} `, { style: headingStyle, box }),
  })
  const ruleTop = sheet.y + height + 1
  drawDecoration(sheet, () => {
    sheet.document.moveTo(area.left, ruleTop).lineTo(area.right, ruleTop).lineWidth(0.8).stroke(ink.accent)
  })
  sheet.y = ruleTop + 4
  return element
}

function heightOfItem(sheet: Sheet, item: string): number {
  return heightOf(sheet, item, { style: itemStyle, width: itemWidth }) + 3
}

function drawItem(
  sheet: Sheet,
  list: PDFKit.PDFStructureElement,
  { item, x }: { item: string; x: number },
): void {
  drawDecoration(sheet, () => {
    sheet.document
      .rect(x + 0.5, sheet.y + 2, tickBoxPt, tickBoxPt)
      .lineWidth(0.8)
      .stroke(ink.text)
  })
  const element = addElement(sheet, list, { type: 'LI' })
  addElement(sheet, element, {
    type: 'LBody',
    draw: () =>
      writeText(sheet, item, {
        style: itemStyle,
        box: { x: x + itemIndentPt, y: sheet.y, width: itemWidth },
      }),
  })
}
