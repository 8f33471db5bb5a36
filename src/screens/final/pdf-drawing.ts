import './pdf-functions.ts'
import { getDocument, type PDFPageProxy, PDFWorker } from 'pdfjs-dist/legacy/build/pdf.mjs'
import workerUrl from './pdf-worker.ts?worker&url'
import type { Services } from '#app/services.ts'

/**
 * pdf.js: fetched when a receipt is to be shown, and not before (S97). This file's name keeps what is built of it
 * out of what every phone installs.
 */
export type Drawing = { pages: PDFPageProxy[] }

let worker: PDFWorker | undefined

/** Starts the part of pdf.js that reads; it serves for as long as the page is open. */
export function prepareDrawing({ device }: Pick<Services, 'device'>): PDFWorker {
  worker ??= PDFWorker.create({ port: device.startWorker(workerUrl) })
  return worker
}

export async function openDrawing(services: Pick<Services, 'device'>, file: Blob): Promise<Drawing> {
  const data = new Uint8Array(await file.arrayBuffer())
  // Without `stopAtErrors` a page that cannot be read would be drawn without its text.
  const pdf = await getDocument({ data, worker: prepareDrawing(services), stopAtErrors: true }).promise
  const numbers = Array.from({ length: pdf.numPages }, (_, index) => index + 1)
  return { pages: await Promise.all(numbers.map(number => pdf.getPage(number))) }
}

/**
 * Draws as sharp as the screen is, in the width that the page gives it. Returns how to call it off. Calls `onFailed` when
 * the browser cannot draw the page.
 */
export function drawPage(page: PDFPageProxy, canvas: HTMLCanvasElement, onFailed: () => void): () => void {
  const natural = page.getViewport({ scale: 1 })
  const density = Math.min(window.devicePixelRatio, 3)
  const viewport = page.getViewport({ scale: (canvas.clientWidth * density) / natural.width })
  canvas.width = Math.round(viewport.width)
  canvas.height = Math.round(viewport.height)
  const task = page.render({ canvas, viewport })
  task.promise.catch((error: unknown) => {
    if (!isCalledOff(error)) onFailed()
  })
  return () => task.cancel()
}

/** Dots to the point: sharp enough for a printer to keep a code readable. */
const printScale = 3

/** The pages as pictures, for paper (D38). */
export async function drawForPaper({ pages }: Drawing): Promise<Blob[]> {
  return Promise.all(pages.map(drawPicture))
}

async function drawPicture(page: PDFPageProxy): Promise<Blob> {
  const viewport = page.getViewport({ scale: printScale })
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(viewport.width)
  canvas.height = Math.round(viewport.height)
  await page.render({ canvas, viewport }).promise
  return new Promise((resolve, reject) => {
    canvas.toBlob(picture => (picture ? resolve(picture) : reject(new Error('no picture came of a page'))))
  })
}

function isCalledOff(error: unknown): boolean {
  return error instanceof Error && error.name === 'RenderingCancelledException'
}
