/**
 * Functions that pdf.js calls and that its legacy build leaves to the browser: Chromium has the first from version 119
 * on and the second from 114 on, Safari both from 17.4. They come with the files of pdf.js and with no other
 * (docs/browsers.md).
 */
export function withResolvers<Value>() {
  let settle: { resolve: (value: Value) => void; reject: (reason: unknown) => void } | undefined
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle }
}

/** A copy in place of a move: the caller drops its buffer afterwards. */
export function transferToFixedLength(this: ArrayBuffer, byteLength = this.byteLength): ArrayBuffer {
  const copy = new Uint8Array(byteLength)
  copy.set(new Uint8Array(this, 0, Math.min(byteLength, this.byteLength)))
  return copy.buffer
}

if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers })
if (!('transferToFixedLength' in ArrayBuffer.prototype))
  // oxlint-disable-next-line no-extend-native -- pdf.js calls it as a method
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', { value: transferToFixedLength })
