import { drawGrid, planGrid } from './labelled-grid.ts'
import type { GridStyle } from './labelled-grid.ts'
import { drawQr, encodeQr } from './qr-drawing.ts'
import type { Receipt } from './receipt.ts'
import { addElement, area, drawDecoration, heightOf, ink, widthOf, writeText } from './sheet.ts'
import type { Sheet, Style } from './sheet.ts'

const paddingPt = 12
const qrSizePt = 132
const qrLeft = area.right - paddingPt - qrSizePt

const labelStyle: Style = { font: 'regular', size: 8.5, colour: ink.label }
const numberStyle: Style = { font: 'bold', size: 24, colour: ink.accent }
const captionStyle: Style = { font: 'regular', size: 7.5, colour: ink.label }

const gridStyle: GridStyle = {
  x: area.left + paddingPt,
  width: qrLeft - area.left - paddingPt * 2.5,
  columns: 3,
  columnGap: 14,
  lineGap: 4,
  label: labelStyle,
  value: { font: 'bold', size: 12, colour: ink.text },
  maxValueHeight: 110,
}

const detailStyle: GridStyle = { ...gridStyle, value: { font: 'regular', size: 10, colour: ink.text } }

/**
 * Draws the block that the clerk reads within ten seconds: number, name, office and time on the left, the QR code on
 * the right.
 */
export function drawHeadline(sheet: Sheet, receipt: Receipt): void {
  const top = sheet.y
  const plans = receipt.headline.map(line => {
    const style = line.some(({ isDetail }) => isDetail) ? detailStyle : gridStyle
    return { lines: planGrid(sheet, line, style), style }
  })
  const lines = plans.flatMap(plan => plan.lines)
  const number = planNumber(sheet, receipt)
  const captionHeight = heightOf(sheet, receipt.qr.caption, { style: captionStyle, width: qrSizePt })
  const textHeight = number.height + lines.reduce((sum, line) => sum + line.height, 0) - gridStyle.lineGap
  const height = Math.max(textHeight, qrSizePt + 8 + captionHeight) + paddingPt * 2

  drawDecoration(sheet, () => {
    sheet.document.roundedRect(area.left, top, area.width, height, 7).lineWidth(1.4).stroke(ink.accent)
  })
  sheet.y = top + paddingPt
  drawNumber(sheet, { receipt, ...number })
  for (const plan of plans) drawGrid(sheet, sheet.root, plan)
  drawCode(sheet, receipt, top + paddingPt)
  sheet.y = top + height + 14
}

type NumberPlan = { style: Style; labelHeight: number; height: number }

// Shrinks the number to one line, because a clerk may misread a number on two lines.
function planNumber(sheet: Sheet, receipt: Receipt): NumberPlan {
  const width = widthOf(sheet, receipt.applicationNumber, numberStyle)
  const style = { ...numberStyle, size: numberStyle.size * Math.min(1, gridStyle.width / (width + 1)) }
  const labelHeight = heightOf(sheet, receipt.applicationNumberLabel, {
    style: labelStyle,
    width: gridStyle.width,
  })
  const numberHeight = heightOf(sheet, receipt.applicationNumber, { style, width: gridStyle.width })
  return { style, labelHeight, height: labelHeight + numberHeight + 6 }
}

function drawNumber(
  sheet: Sheet,
  { receipt, style, labelHeight, height }: NumberPlan & { receipt: Receipt },
): void {
  const box = { x: gridStyle.x, y: sheet.y, width: gridStyle.width }
  addElement(sheet, sheet.root, {
    type: 'P',
    draw: () => {
      writeText(sheet, `${receipt.applicationNumberLabel} `, { style: labelStyle, box })
      writeText(sheet, receipt.applicationNumber, { style, box: { ...box, y: box.y + labelHeight - 2 } })
    },
  })
  sheet.y += height
}

function drawCode(sheet: Sheet, receipt: Receipt, top: number): void {
  addElement(sheet, sheet.root, {
    type: 'Figure',
    options: {
      alt: receipt.qr.alt,
      bbox: [qrLeft, top, qrLeft + qrSizePt, top + qrSizePt],
      placement: 'Block',
    },
    draw: () => drawQr(sheet.document, encodeQr(receipt.qr.text), { x: qrLeft, y: top, size: qrSizePt }),
  })
  addElement(sheet, sheet.root, {
    type: 'P',
    draw: () =>
      writeText(sheet, receipt.qr.caption, {
        style: captionStyle,
        box: { x: qrLeft, y: top + qrSizePt + 8, width: qrSizePt },
      }),
  })
}
