import { afterEach, describe, expect, it, vi } from 'vitest'
import { readQrCode } from '#device/read-qr-code.ts'

afterEach(() => vi.unstubAllGlobals())

const picture = new Blob(['picture'])

/** A browser whose detector answers with `detect`. */
function pretendDetector(detect: () => Promise<{ rawValue: string }[]>) {
  class FakeDetector {
    detect = detect
  }
  vi.stubGlobal('window', { BarcodeDetector: FakeDetector })
  vi.stubGlobal('createImageBitmap', async () => ({ close: () => undefined }))
}

describe('readQrCode (D44)', () => {
  it('resolves to the text of the first code', async () => {
    pretendDetector(async () => [{ rawValue: 'first' }, { rawValue: 'second' }])
    expect(await readQrCode(picture)).toBe('first')
  })

  it('resolves to undefined when the picture has no code', async () => {
    pretendDetector(async () => [])
    expect(await readQrCode(picture)).toBeUndefined()
  })

  it('resolves to undefined when the file is no picture', async () => {
    pretendDetector(async () => [{ rawValue: 'first' }])
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('InvalidStateError')))
    expect(await readQrCode(picture)).toBeUndefined()
  })

  it('resolves to undefined when the browser has no detector', async () => {
    vi.stubGlobal('window', {})
    expect(await readQrCode(picture)).toBeUndefined()
  })

  it('resolves to undefined when the phone lacks the service behind the detector', async () => {
    pretendDetector(() => Promise.reject(new Error('Barcode detection service unavailable.')))
    expect(await readQrCode(picture)).toBeUndefined()
  })
})
