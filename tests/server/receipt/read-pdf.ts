import { inflateSync } from 'node:zlib'
import type { PDFPageProxy } from 'pdfjs-dist'

// pdf.js needs this function; Node has it from version 22.
if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers })
const { OPS, getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs')

/**
 * Reads a PDF as a viewer does. `lowest` is the lowest baseline on the page, `rightmost` the furthest right end of a text.
 * Positions are points from the left and from the bottom of the page.
 */
export async function readPdf(bytes: Uint8Array) {
  return withDocument(bytes, async document => {
    const pages = []
    for (let number = 1; number <= document.numPages; number += 1) {
      pages.push(await readPage(await document.getPage(number)))
    }
    const { info, metadata } = await document.getMetadata()
    const raw = Buffer.from(bytes).toString('latin1')
    const preferences = await document.getViewerPreferences()
    return {
      pages,
      title: propertyOf(info, 'Title'),
      language: propertyOf(info, 'Language'),
      xmp: metadata?.getRaw(),
      showsTitle: preferences instanceof Map && preferences.get('DisplayDocTitle'),
      marked: /\/MarkInfo (\d+) 0 R/.test(raw) && /\/Marked true/.test(raw),
    }
  })
}

export function rolesOf(structure: unknown): string[] {
  if (typeof structure !== 'object' || structure === null) return []
  const role = propertyOf(structure, 'role')
  const children = propertyOf(structure, 'children')
  const below = Array.isArray(children) ? children.flatMap(rolesOf) : []
  return typeof role === 'string' ? [role, ...below] : below
}

/**
 * Returns the kind (a number of pdf.js's `OPS`) of each paint operator that is in no marked sequence.
 *
 * @throws when the file has no paint operator that this function knows.
 */
export async function drawnOutsideMarks(bytes: Uint8Array): Promise<number[]> {
  const paints = new Set([OPS.showText, OPS.fill, OPS.stroke, OPS.eoFill, OPS.fillStroke, OPS.constructPath])
  return withDocument(bytes, async document => {
    const outside: number[] = []
    let painted = 0
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number)
      let depth = 0
      for (const operator of (await page.getOperatorList()).fnArray) {
        if (operator === OPS.beginMarkedContent || operator === OPS.beginMarkedContentProps) depth += 1
        if (operator === OPS.endMarkedContent) depth -= 1
        if (paints.has(operator)) painted += 1
        if (paints.has(operator) && depth < 1) outside.push(operator)
      }
    }
    if (painted === 0) throw new Error('No paint operator was recognised')
    return outside
  })
}

/** Reads the modules of the QR code from the rectangles of the first Figure; their y counts from the top. */
export function qrModules(bytes: Uint8Array): boolean[][] {
  const figure = /\/Figure <<[^>]*>> BDC\n([^]*?)\nEMC/.exec(contentStreams(bytes).join('\n'))?.[1] ?? ''
  const runs = [...figure.matchAll(/^(\S+) (\S+) (\S+) (\S+) re$/gm)].map(([, ...numbers]) =>
    numbers.map(Number),
  )
  const boxes = runs.map(([x = 0, y = 0, width = 0, height = 0]) => ({ x, y, width, height }))
  const side = boxes[0]?.height ?? 1
  const left = Math.min(...boxes.map(box => box.x))
  const top = Math.min(...boxes.map(box => box.y))
  const size = Math.round((Math.max(...boxes.map(box => box.x + box.width)) - left) / side)
  const modules = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  for (const box of boxes) {
    const start = Math.round((box.x - left) / side)
    modules[Math.round((box.y - top) / side)]?.fill(true, start, start + Math.round(box.width / side))
  }
  return modules
}

/** Returns the wrong entries of the cross-reference table and the references to missing objects. */
export function unresolvedReferences(bytes: Uint8Array): string[] {
  const file = Buffer.from(bytes).toString('latin1')
  const table = Number(/startxref\n(\d+)\n%%EOF\s*$/.exec(file)?.[1])
  if (!file.startsWith('xref', table)) return ['no cross-reference table']
  const offsets = [...file.slice(table).matchAll(/^(\d{10}) 00000 n /gm)].map(entry => Number(entry[1]))
  const misplaced = offsets.flatMap((offset, index) =>
    file.startsWith(`${index + 1} 0 obj`, offset) ? [] : [`object ${index + 1}`],
  )
  const outsideStreams = file.replaceAll(/stream\n[^]*?\nendstream/g, '')
  const absent = [...outsideStreams.matchAll(/(\d+) 0 R/g)].filter(([, id]) => Number(id) > offsets.length)
  return [...misplaced, ...absent.map(([reference]) => reference)]
}

function contentStreams(bytes: Uint8Array): string[] {
  const file = Buffer.from(bytes)
  const starts = [
    ...file.toString('latin1').matchAll(/\/Length (\d+)\n\/Filter \/FlateDecode\n>>\nstream\n/g),
  ]
  return starts.map(match => {
    const start = match.index + match[0].length
    return inflateSync(file.subarray(start, start + Number(match[1]))).toString('latin1')
  })
}

async function readPage(page: PDFPageProxy) {
  const { items } = await page.getTextContent()
  const runs = items.flatMap(item => ('str' in item ? [item] : []))
  const inked = runs.filter(run => run.str.trim() !== '')
  const text = runs.map(run => (run.hasEOL ? `${run.str} ` : run.str)).join('')
  return {
    text: text.replaceAll(/ +/g, ' '),
    structure: await page.getStructTree(),
    lowest: Math.min(...inked.map(run => Number(run.transform[5]))),
    runs: inked.map(run => ({
      text: run.str.trim(),
      left: Number(run.transform[4]),
      baseline: Number(run.transform[5]),
    })),
    rightmost: Math.max(...inked.map(run => Number(run.transform[4]) + run.width)),
  }
}

async function withDocument<Result>(
  bytes: Uint8Array,
  use: (document: Awaited<ReturnType<typeof getDocument>['promise']>) => Promise<Result>,
): Promise<Result> {
  // pdf.js takes the buffer away from its owner, so it gets a copy.
  const task = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 })
  try {
    return await use(await task.promise)
  } finally {
    await task.destroy()
  }
}

function propertyOf(source: object | null, key: string): unknown {
  return source === null ? undefined : new Map<string, unknown>(Object.entries(source)).get(key)
}

function withResolvers() {
  const parts = {}
  const promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }))
  return { promise, ...parts }
}
