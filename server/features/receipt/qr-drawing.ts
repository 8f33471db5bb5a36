import { encode } from 'uqr'

/**
 * Returns the rows of the code's squares, its modules; true is dark. Error correction M (medium) survives a fold or a
 * stain. The caller leaves a white border around the code.
 */
export function encodeQr(text: string): boolean[][] {
  return encode(text, { ecc: 'M', border: 0 }).data
}

/**
 * Draws the code with its upper left corner at x, y; all measures in points. Fills the dark modules as one path, and
 * those side by side in a row as one rectangle, so that no gaps show in print.
 */
export function drawQr(
  document: PDFKit.PDFDocument,
  modules: boolean[][],
  { x, y, size }: { x: number; y: number; size: number },
): void {
  const side = size / modules.length
  modules.forEach((line, row) => {
    for (const { start, length } of findRuns(line)) {
      document.rect(x + start * side, y + row * side, length * side, side)
    }
  })
  document.fill('#000000')
}

function findRuns(line: boolean[]): { start: number; length: number }[] {
  const runs: { start: number; length: number }[] = []
  line.forEach((dark, column) => {
    if (!dark) return
    const last = runs.at(-1)
    if (last && last.start + last.length === column) last.length += 1
    else runs.push({ start: column, length: 1 })
  })
  return runs
}
