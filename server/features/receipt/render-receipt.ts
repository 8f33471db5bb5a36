import { create } from 'fontkit'
import { drawPapers, drawSection } from './body-blocks.ts'
import { drawHeadline } from './headline-block.ts'
import { replacementCharacter } from './printable-text.ts'
import type { Receipt, PlainDocument } from './receipt.ts'
import { addElement, area, drawDecoration, heightOf, ink, openSheet, widthOf, writeText } from './sheet.ts'
import type { Fonts, Sheet, Style } from './sheet.ts'

const titleStyle: Style = { font: 'bold', size: 17, colour: ink.text }
const noticeStyle: Style = { font: 'regular', size: 11, colour: ink.text }
const markStyle: Style = { font: 'regular', size: 9, colour: ink.text }
const footerStyle: Style = { font: 'regular', size: 8, colour: ink.label }
const footerTop = area.bottom + 9

/**
 * Parses the two fonts (TrueType files) once and returns the renderer. The renderer returns an A4 PDF,
 * tagged for screen readers, whose bytes depend only on the content.
 */
export function createReceiptRenderer(files: {
  regular: Uint8Array
  bold: Uint8Array
}): (content: Receipt | PlainDocument) => Promise<Uint8Array> {
  const fonts = { regular: parseFont(files.regular), bold: parseFont(files.bold) }
  return content => renderReceipt(content, fonts)
}

// fontkit stores with each glyph the text that first requested it, and writes this text to the
// file. Requesting all glyphs now prevents one receipt from changing the bytes of the next.
function parseFont(file: Uint8Array): Fonts['regular'] {
  const font = create(file)
  for (const codePoint of font.characterSet) font.glyphForCodePoint(codePoint)
  return font
}

async function renderReceipt(content: Receipt | PlainDocument, fonts: Fonts): Promise<Uint8Array> {
  const sheet = openSheet(content, fonts)
  const bytes = collect(sheet.document)
  drawTitle(sheet, content)
  if ('headline' in content) drawHeadline(sheet, content)
  if (hasUnprintable(sheet, content)) drawUnprintable(sheet, content)
  if ('papers' in content) drawPapers(sheet, content.papers)
  for (const section of content.sections) drawSection(sheet, section)
  drawFooters(sheet, content)
  sheet.document.end()
  return bytes
}

async function collect(document: PDFKit.PDFDocument): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of document) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function drawTitle(sheet: Sheet, { title, notice }: PlainDocument): void {
  drawDecoration(sheet, () => {
    sheet.document.rect(area.left, sheet.y, area.width, 4).fill(ink.accent)
  })
  sheet.y += 11
  drawParagraph(sheet, `${title} `, { type: 'H1', style: titleStyle })
  sheet.y += 2
  drawParagraph(sheet, notice, { type: 'P', style: noticeStyle })
  sheet.y += 8
}

function hasUnprintable(sheet: Sheet, content: Receipt | PlainDocument): boolean {
  const { sections } = content
  const headline = 'headline' in content ? content.headline.flat() : []
  const rows = [...headline, ...sections.flatMap(section => section.rows)]
  return rows.some(({ value }) => sheet.printable(value).includes(replacementCharacter))
}

function drawUnprintable(sheet: Sheet, { unprintable }: PlainDocument): void {
  drawParagraph(sheet, unprintable, { type: 'P', style: markStyle })
  sheet.y += 8
}

function drawParagraph(sheet: Sheet, text: string, { type, style }: { type: string; style: Style }): void {
  const box = { x: area.left, y: sheet.y, width: area.width }
  addElement(sheet, sheet.root, { type, draw: () => writeText(sheet, text, { style, box }) })
  sheet.y += heightOf(sheet, text, { style, width: area.width })
}

// Prints the footer on each page. A screen reader reads it once, on the last page.
function drawFooters(sheet: Sheet, content: PlainDocument): void {
  const pages = sheet.document.bufferedPageRange().count
  for (let page = 1; page <= pages; page += 1) {
    sheet.document.switchToPage(page - 1)
    const label = content.pageLabel.replace('{page}', String(page)).replace('{pages}', String(pages))
    const place = `${content.applicationNumber} · ${label}`
    const placeWidth = widthOf(sheet, place, footerStyle) + 1
    const box = { x: area.left, y: footerTop, width: area.width - placeWidth - 12, height: 24 }
    const draw = () => writeText(sheet, content.footer, { style: footerStyle, box })
    drawDecoration(sheet, () => {
      const { document } = sheet
      const y = footerTop - 5
      document.moveTo(area.left, y).lineTo(area.right, y).lineWidth(0.5).stroke(ink.rule)
      const placeBox = { x: area.right - placeWidth, y: footerTop, width: placeWidth }
      writeText(sheet, place, { style: footerStyle, box: placeBox })
      if (page < pages) draw()
    })
    if (page === pages) addElement(sheet, sheet.root, { type: 'P', draw })
  }
}
