import type { LabelledValue } from './receipt.ts'
import { addElement, heightOf, makeRoom, widthOf, writeText } from './sheet.ts'
import type { Sheet, Style } from './sheet.ts'

/** A grid of labels above their values. A long value uses as many columns as it needs. All lengths are PDF points. */
export type GridStyle = {
  x: number
  width: number
  columns: number
  columnGap: number
  lineGap: number
  label: Style
  value: Style
  /** Greatest height of a value; the rest is cut with an ellipsis, so that each cell fits on a page. */
  maxValueHeight: number
}

export type GridLine = { cells: Cell[]; height: number }

type Cell = LabelledValue & { x: number; width: number; labelHeight: number; valueHeight: number }

export function planGrid(sheet: Sheet, rows: LabelledValue[], style: GridStyle): GridLine[] {
  const lines: GridLine[] = []
  let used = style.columns
  for (const row of rows) {
    const span = spanOf(sheet, row, style)
    if (used + span > style.columns) {
      lines.push({ cells: [], height: 0 })
      used = 0
    }
    const cell = planCell(sheet, row, { style, column: used, span })
    const line = lines.at(-1)
    line?.cells.push(cell)
    if (line) line.height = Math.max(line.height, cell.labelHeight + cell.valueHeight + style.lineGap)
    used += span
  }
  return lines
}

export function drawGrid(sheet: Sheet, parent: PDFKit.PDFStructureElement, plan: GridPlan): void {
  for (const line of plan.lines) {
    makeRoom(sheet, line.height)
    for (const cell of line.cells) drawCell(sheet, parent, { cell, style: plan.style })
    sheet.y += line.height
  }
}

export type GridPlan = { lines: GridLine[]; style: GridStyle }

function spanOf(sheet: Sheet, row: LabelledValue, style: GridStyle): number {
  const needed = Math.max(
    widthOf(sheet, `${row.label} `, style.label),
    widthOf(sheet, row.value, style.value),
  )
  for (let span = 1; span < style.columns; span += 1) {
    if (needed <= widthOfSpan(style, span)) return span
  }
  return style.columns
}

function planCell(
  sheet: Sheet,
  row: LabelledValue,
  { style, column, span }: { style: GridStyle; column: number; span: number },
): Cell {
  const width = widthOfSpan(style, span)
  return {
    ...row,
    width,
    x: style.x + widthOfSpan(style, column) + (column > 0 ? style.columnGap : 0),
    labelHeight: heightOf(sheet, `${row.label} `, { style: style.label, width }),
    valueHeight: Math.min(heightOf(sheet, row.value, { style: style.value, width }), style.maxValueHeight),
  }
}

function widthOfSpan({ width, columns, columnGap }: GridStyle, span: number): number {
  const column = (width - columnGap * (columns - 1)) / columns
  return Math.max(0, column * span + columnGap * (span - 1))
}

function drawCell(
  sheet: Sheet,
  parent: PDFKit.PDFStructureElement,
  { cell, style }: { cell: Cell; style: GridStyle },
): void {
  const { x, width, label, value, labelHeight, valueHeight } = cell
  // One point higher than the text, so that rounding cannot make the box too low for its last line.
  const valueBox = { x, y: sheet.y + labelHeight, width, height: valueHeight + 1 }
  // One paragraph for label and value: a screen reader reads them together. Table cells would be two stops for each
  // field and make the file 50 % larger. The space separates label and value.
  addElement(sheet, parent, {
    type: 'P',
    options: spokenAs(sheet, `${label} ${value}`),
    draw: () => {
      writeText(sheet, `${label} `, { style: style.label, box: { x, y: sheet.y, width } })
      writeText(sheet, value, { style: style.value, box: valueBox })
    },
  })
}

// Gives a screen reader the original text when the fonts cannot print all its characters.
function spokenAs(sheet: Sheet, text: string): PDFKit.Mixins.StructureElementOptions {
  return sheet.printable(text) === text.normalize('NFC') ? {} : { actual: text }
}
