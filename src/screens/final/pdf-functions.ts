/**
 * A function that pdf.js calls and that its legacy build leaves to the browser: Chromium has it from version 119 on,
 * Safari from 17.4. It comes with the files of pdf.js and with no other (docs/browsers.md).
 */
export function withResolvers<Value>() {
  let settle: { resolve: (value: Value) => void; reject: (reason: unknown) => void } | undefined
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle }
}

if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers })
