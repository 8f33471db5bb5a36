import { readFile } from 'node:fs/promises'
import { assetPath } from '#server/config/asset-path.ts'
import { createReceiptRenderer } from './render-receipt.ts'

let renderer: Promise<ReturnType<typeof createReceiptRenderer>> | undefined

/** Parses the fonts once for each thread, because this is slow. */
export function loadRenderer(): Promise<ReturnType<typeof createReceiptRenderer>> {
  renderer ??= readFonts().then(createReceiptRenderer)
  return renderer
}

async function readFonts(): Promise<{ regular: Uint8Array; bold: Uint8Array }> {
  const [regular, bold] = await Promise.all(
    ['noto-sans-regular.ttf', 'noto-sans-bold.ttf'].map(name =>
      readFile(assetPath(`server/seed/fonts/${name}`)),
    ),
  )
  if (regular === undefined || bold === undefined)
    throw new Error('The two font files of the receipt were not read.')
  return { regular, bold }
}
