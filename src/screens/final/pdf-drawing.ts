import './pdf-polyfills.ts'
import { getDocument, type PDFPageProxy, PDFWorker } from 'pdfjs-dist/legacy/build/pdf.mjs'
import workerUrl from './pdf-worker.ts?worker&url'
import type { Services } from '#app/services.ts'

// This module contains pdf.js. The browser loads it only to show or to print a receipt (S97): files of assets/pdf* are not
// precached (vite.config.ts), and the service worker caches them at their first use (sw/addresses.ts).

/** The pages of an open PDF; nothing is drawn yet. */
export type OpenPdf = { pages: PDFPageProxy[] }

let worker: PDFWorker | undefined

/** @throws when the file is not a readable PDF. */
export async function openPdf({ device }: Pick<Services, 'device'>, file: Blob): Promise<OpenPdf> {
  // The worker of pdf.js runs until the page is closed.
  worker ??= PDFWorker.create({ port: device.startWorker(workerUrl) })
  const data = new Uint8Array(await file.arrayBuffer())
  // Without `stopAtErrors`, pdf.js draws a damaged page without its text.
  const pdf = await getDocument({ data, worker, stopAtErrors: true }).promise
  const numbers = Array.from({ length: pdf.numPages }, (_, index) => index + 1)
  return { pages: await Promise.all(numbers.map(number => pdf.getPage(number))) }
}

/**
 * Draws the page in the width of the canvas and in the resolution of the screen, at most 3 device pixels per CSS pixel.
 * Returns a function that cancels the drawing. Calls `onFailed` when the browser cannot draw the page.
 */
export function drawPage(page: PDFPageProxy, canvas: HTMLCanvasElement, onFailed: () => void): () => void {
  const natural = page.getViewport({ scale: 1 })
  const density = Math.min(window.devicePixelRatio, 3)
  const viewport = page.getViewport({ scale: (canvas.clientWidth * density) / natural.width })
  canvas.width = Math.round(viewport.width)
  canvas.height = Math.round(viewport.height)
  const task = page.render({ canvas, viewport })
  task.promise.catch((error: unknown) => {
    if (!isCancelled(error)) onFailed()
  })
  return () => task.cancel()
}

/** Pixels per point: a printed QR code stays readable. */
const printScale = 3

/**
 * Draws the pages as pictures for the printer (D38).
 *
 * @throws when the browser cannot draw a page.
 */
export async function drawForPaper({ pages }: OpenPdf): Promise<Blob[]> {
  return Promise.all(pages.map(drawPicture))
}

async function drawPicture(page: PDFPageProxy): Promise<Blob> {
  const viewport = page.getViewport({ scale: printScale })
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(viewport.width)
  canvas.height = Math.round(viewport.height)
  await page.render({ canvas, viewport }).promise
  return new Promise((resolve, reject) => {
    canvas.toBlob(picture =>
      picture ? resolve(picture) : reject(new Error('the browser returned no picture of a page')),
    )
  })
}

function isCancelled(error: unknown): boolean {
  return error instanceof Error && error.name === 'RenderingCancelledException'
}
