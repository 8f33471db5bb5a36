/**
 * The two polyfills that the legacy build of pdf.js lacks. Chromium has `Promise.withResolvers` since version 119 and
 * `transferToFixedLength` since 114; Safari has both since 17.4. Only the chunks of pdf.js import this file
 * (docs/browsers.md).
 */
function withResolvers<Value>() {
  let functions: { resolve: (value: Value) => void; reject: (reason: unknown) => void } | undefined
  const promise = new Promise<Value>((resolve, reject) => {
    functions = { resolve, reject }
  })
  return { promise, ...functions }
}

/** Unlike the standard, copies the buffer and leaves the old one usable: pdf.js does not use the old one again. */
function transferToFixedLength(this: ArrayBuffer, byteLength = this.byteLength): ArrayBuffer {
  const copy = new Uint8Array(byteLength)
  copy.set(new Uint8Array(this, 0, Math.min(byteLength, this.byteLength)))
  return copy.buffer
}

if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers })
if (!('transferToFixedLength' in ArrayBuffer.prototype))
  // oxlint-disable-next-line no-extend-native -- pdf.js calls it as a method
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', { value: transferToFixedLength })
