// oxlint-disable-next-line typescript/triple-slash-reference -- each tsconfig that reaches this file needs these declarations
/// <reference path="./pdf-libraries.d.ts" />
import PdfFile from 'pdfkit'
import type { ParsedFont } from 'fontkit'
import { toPrintable } from './printable-text.ts'
import type { PlainDocument } from './receipt.ts'

export type Fonts = { regular: ParsedFont; bold: ParsedFont }

export type Style = { font: keyof Fonts; size: number; colour: string }

export type Box = { x: number; y: number; width: number; height?: number }

/** The document that is drawn. The next block starts at `y`. All lengths are PDF points (1/72 inch). */
export type Sheet = {
  document: PDFKit.PDFDocument
  root: PDFKit.PDFStructureElement
  printable: (text: string) => string
  y: number
}

export const ink = { accent: '#0b5d3b', text: '#111a15', label: '#46524b', rule: '#b4c2ba' }

/** The part of an A4 page for content; the footer is below it. */
export const area = { left: 42, right: 553.28, top: 30, bottom: 793, width: 511.28 }

export function openSheet(content: PlainDocument, fonts: Fonts): Sheet {
  const document = new PdfFile({
    size: 'A4',
    margin: 0,
    font: '',
    pdfVersion: '1.7',
    subset: 'PDF/UA',
    tagged: true,
    lang: content.language,
    displayTitle: true,
    bufferPages: true,
    info: {
      Title: toTitle(content),
      CreationDate: content.issuedAt,
      ModDate: content.issuedAt,
    },
  })
  document.registerFont('regular', fonts.regular).registerFont('bold', fonts.bold)
  const root = document.struct('Document')
  document.addStructure(root)
  return { document, root, printable: text => toPrintable(text, fonts.regular), y: area.top }
}

// Removes <, > and &, because pdfkit writes the title into its XML metadata without escaping it.
function toTitle({ title, applicationNumber }: PlainDocument): string {
  return `${title} ${applicationNumber}`.replaceAll(/[<>&]/g, ' ')
}

/**
 * Starts a new page when the current one has less space than `height`, unless nothing is drawn on the current one yet.
 */
export function makeRoom(sheet: Sheet, height: number): void {
  if (sheet.y + height <= area.bottom || sheet.y === area.top) return
  sheet.document.addPage()
  sheet.y = area.top
}

export type Element = {
  type: string
  options?: PDFKit.Mixins.StructureElementOptions
  draw?: () => void
}

/** Adds an element to the structure tree that screen readers read. The output of `draw` becomes its content. */
export function addElement(
  sheet: Sheet,
  parent: PDFKit.PDFStructureElement,
  { type, options = {}, draw }: Element,
): PDFKit.PDFStructureElement {
  const element = draw ? sheet.document.struct(type, options, draw) : sheet.document.struct(type, options)
  parent.add(element)
  return element
}

/** Draws decoration that screen readers skip: rules, frames, boxes, repeated footers. */
export function drawDecoration(sheet: Sheet, draw: () => void): void {
  sheet.document.markContent('Artifact', { type: 'Layout' })
  draw()
  sheet.document.endMarkedContent()
}

export function writeText(sheet: Sheet, text: string, { style, box }: { style: Style; box: Box }): void {
  const { x, y, ...limits } = box
  choose(sheet, style)
    .fillColor(style.colour)
    .text(sheet.printable(text), x, y, { ...limits, ellipsis: true })
}

export function heightOf(
  sheet: Sheet,
  text: string,
  { style, width }: { style: Style; width: number },
): number {
  return choose(sheet, style).heightOfString(sheet.printable(text), { width })
}

export function widthOf(sheet: Sheet, text: string, style: Style): number {
  return choose(sheet, style).widthOfString(sheet.printable(text))
}

function choose(sheet: Sheet, style: Style): PDFKit.PDFDocument {
  return sheet.document.font(style.font).fontSize(style.size)
}
