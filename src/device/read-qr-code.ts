/** TypeScript's DOM does not know it yet; Chrome on Android has it, and Safari and Firefox have not. */
type Detector = { detect: (picture: ImageBitmap) => Promise<{ rawValue: string }[]> }
type DetectorClass = new (options: { formats: string[] }) => Detector

/** Whether this browser finds a QR code in a picture by itself. */
export function canReadQrCodes(): boolean {
  return detectorClass() !== undefined
}

/** What the first QR code in a picture says; undefined where none is found. */
export async function readQrCode(picture: Blob): Promise<string | undefined> {
  const Class = detectorClass()
  if (!Class) return undefined
  const bitmap = await openPicture(picture)
  if (!bitmap) return undefined
  const [found] = await new Class({ formats: ['qr_code'] }).detect(bitmap)
  bitmap.close()
  return found?.rawValue
}

function detectorClass(): DetectorClass | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return (window as { BarcodeDetector?: DetectorClass }).BarcodeDetector
}

async function openPicture(picture: Blob): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(picture)
  } catch {
    return undefined // no picture
  }
}
