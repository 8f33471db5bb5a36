import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assetPath } from '#server/config/asset-path.ts'
import { cacheByContent, type DrawnFile, drawOutside } from '#server/features/receipt/draw-pdf.ts'
import { renderReceipt, shortReceipt } from './sample-receipt.ts'

// Below the project, so that the worker finds its packages.
const folder = assetPath('dist/test-pdf-worker')

describe('the worker that draws files (D97)', () => {
  beforeAll(() =>
    build({
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: 'server/features/receipt/pdf-worker.ts',
        outDir: folder,
        target: 'node20',
        copyPublicDir: false,
      },
    }),
  )
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('returns the same bytes as the renderer itself', async () => {
    const bytes = await drawOutside(join(folder, 'pdf-worker.js'))(shortReceipt)
    expect(bytesOf(bytes).equals(Buffer.from(await renderReceipt(shortReceipt)))).toBe(true)
  })

  it('rejects one document that it cannot draw, and draws the next', async () => {
    const draw = drawOutside(join(folder, 'pdf-worker.js'))
    await expect(
      draw({ ...shortReceipt, sections: [{ heading: '', rows: [] }], issuedAt: new Date(NaN) }),
    ).rejects.toThrow()
    expect(bytesOf(await draw(shortReceipt)).byteLength).toBeGreaterThan(10_000)
  })

  it('is busy when twenty files wait for it, and draws these', async () => {
    const draw = drawOutside(join(folder, 'pdf-worker.js'))
    const files = await Promise.all(Array.from({ length: 30 }, () => draw(shortReceipt)))
    expect(files.filter(file => file !== 'busy')).toHaveLength(21) // twenty, and the one that the worker draws first
    expect(await draw(shortReceipt)).not.toBe('busy')
  })
})

/** @throws when the file was not drawn. */
function bytesOf(file: DrawnFile): Buffer {
  if (file === 'busy') throw new Error('Too many files wait')
  return Buffer.from(file)
}

function countingDraw() {
  const drawn: string[] = []
  const draw = cacheByContent(async ({ applicationNumber }) => {
    drawn.push(applicationNumber)
    return new Uint8Array(1_000)
  }, 2_500)
  return { drawn, draw: (applicationNumber: string) => draw({ ...shortReceipt, applicationNumber }) }
}

describe('the files of the same content (D97)', () => {
  it('are drawn once, also when they are requested at once', async () => {
    const { drawn, draw } = countingDraw()
    await Promise.all([draw('PP-1'), draw('PP-1'), draw('PP-2')])
    await draw('PP-1')
    expect(drawn).toEqual(['PP-1', 'PP-2'])
  })

  it('are forgotten when newer ones need their room, the longest unused first', async () => {
    const { drawn, draw } = countingDraw()
    for (const number of ['PP-1', 'PP-2', 'PP-1', 'PP-3', 'PP-1', 'PP-2']) await draw(number)
    expect(drawn).toEqual(['PP-1', 'PP-2', 'PP-3', 'PP-2'])
  })

  it('are drawn again after a failure', async () => {
    let tries = 0
    const draw = cacheByContent(async () => {
      tries += 1
      if (tries === 1) throw new Error('The worker ended')
      return new Uint8Array(1)
    }, 10)
    await expect(draw(shortReceipt)).rejects.toThrow('ended')
    expect(await draw(shortReceipt)).toHaveLength(1)
  })
})
