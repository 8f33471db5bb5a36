/** What `@types/pdfkit` does not know yet, and the little that is used of fontkit, which has no types. */
declare module 'fontkit' {
  export function create(file: Uint8Array): ParsedFont

  export type ParsedFont = {
    characterSet: number[]
    hasGlyphForCodePoint(codePoint: number): boolean
    glyphForCodePoint(codePoint: number): unknown
  }
}

declare namespace PDFKit {
  interface PDFDocument {
    // oxlint-disable-next-line typescript/no-misused-new -- @types/pdfkit describes the class this way
    new (options: Omit<PDFDocumentOptions, 'subset'> & { subset: 'PDF/UA' }): PDFDocument
  }
}

declare namespace PDFKit.Mixins {
  interface PDFFont {
    registerFont(name: string, font: import('fontkit').ParsedFont): this
  }

  interface StructureElementOptions {
    /** In points from the top left corner of the page. */
    bbox?: [left: number, top: number, right: number, bottom: number]
    placement?: 'Block' | 'Inline'
  }
}
