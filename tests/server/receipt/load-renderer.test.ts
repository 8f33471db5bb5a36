import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { assetPath } from '#server/config/asset-path.ts'
import { createRendererLoader } from '#server/features/receipt/load-renderer.ts'
import { renderReceipt, shortReceipt } from './sample-receipt.ts'

const readFont = (name: string) => readFile(assetPath(`server/seed/fonts/${name}`))

it('draws receipts after a failed read of the fonts, and reads the fonts once after that (FIN03)', async () => {
  let reads = 0
  const load = createRendererLoader(async () => {
    reads += 1
    if (reads === 1) throw new Error('EMFILE: too many open files')
    return {
      regular: await readFont('noto-sans-regular.ttf'),
      bold: await readFont('noto-sans-bold.ttf'),
    }
  })
  await expect(Promise.all([load(), load()])).rejects.toThrow('EMFILE')
  expect(reads).toBe(1)
  const [draw, again] = await Promise.all([load(), load()])
  expect(await load()).toBe(draw)
  expect(again).toBe(draw)
  expect(reads).toBe(2)
  expect(Buffer.from(await draw(shortReceipt)).equals(Buffer.from(await renderReceipt(shortReceipt)))).toBe(
    true,
  )
})
