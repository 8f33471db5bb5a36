/** `BarcodeDetector` of Chrome on Android. Safari, Firefox and TypeScript's DOM library do not have it. */
type Detector = { detect: (picture: ImageBitmap) => Promise<{ rawValue: string }[]> }
type DetectorClass = new (options: { formats: string[] }) => Detector

/** Whether this browser can find a QR code in a picture. */
export function canReadQrCodes(): boolean {
  return detectorClass() !== undefined
}

/** Resolves to the text of the first QR code in a picture; undefined when none can be read. */
export async function readQrCode(picture: Blob): Promise<string | undefined> {
  const Class = detectorClass()
  if (!Class) return undefined
  try {
    const bitmap = await createImageBitmap(picture)
    const [found] = await new Class({ formats: ['qr_code'] }).detect(bitmap)
    bitmap.close()
    return found?.rawValue
  } catch {
    return undefined // the file is not a picture, or the phone lacks the service behind `BarcodeDetector`
  }
}

function detectorClass(): DetectorClass | undefined {
  // TypeScript does not know `BarcodeDetector`.
  return (window as { BarcodeDetector?: DetectorClass }).BarcodeDetector
}
