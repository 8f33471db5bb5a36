import { readFile } from 'node:fs/promises'
import { assetPath } from '#server/config/asset-path.ts'
import { createReceiptRenderer } from './render-receipt.ts'

type Fonts = Parameters<typeof createReceiptRenderer>[0]
type LoadRenderer = () => Promise<ReturnType<typeof createReceiptRenderer>>

/** Parses the fonts once for each thread, because this is slow. */
export const loadRenderer = createRendererLoader(readFonts)

/** After a failed read the next call reads again: one fault of the disk must not stop the receipts of the thread. */
export function createRendererLoader(read: () => Promise<Fonts>): LoadRenderer {
  let renderer: ReturnType<LoadRenderer> | undefined
  return () =>
    (renderer ??= read()
      .then(createReceiptRenderer)
      .catch((error: unknown) => {
        renderer = undefined
        throw error
      }))
}

async function readFonts(): Promise<Fonts> {
  const [regular, bold] = await Promise.all(
    ['noto-sans-regular.ttf', 'noto-sans-bold.ttf'].map(name =>
      readFile(assetPath(`server/seed/fonts/${name}`)),
    ),
  )
  if (regular === undefined || bold === undefined)
    throw new Error('The two font files of the receipt were not read.')
  return { regular, bold }
}
