import { readFileSync } from 'node:fs'

/** Returns the text of a PDF, one line for each page. `file`: a path or the bytes. */
export async function readPdfText(file: string | Uint8Array): Promise<string> {
  polyfillWithResolvers()
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const data = typeof file === 'string' ? new Uint8Array(readFileSync(file)) : new Uint8Array(file)
  const task = getDocument({ data, useSystemFonts: false, verbosity: 0 })
  const document = await task.promise
  const pages: string[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const content = await (await document.getPage(number)).getTextContent()
    pages.push(content.items.map(item => ('str' in item ? item.str : '')).join(' '))
  }
  await task.destroy()
  return pages.join('\n')
}

/** pdf.js uses Promise.withResolvers, which Node 20 lacks. */
function polyfillWithResolvers() {
  if ('withResolvers' in Promise) return
  Object.assign(Promise, {
    withResolvers() {
      let resolve: unknown
      let reject: unknown
      const promise = new Promise((yes, no) => {
        resolve = yes
        reject = no
      })
      return { promise, resolve, reject }
    },
  })
}
