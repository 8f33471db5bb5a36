import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { waitOutside } from '#server/calls/outside-wait.ts'
import type { PlainDocument, Receipt } from './receipt.ts'

/** `busy`: too many other files wait for the worker. */
export type DrawnFile = Uint8Array | 'busy'

type Draw = (document: Receipt | PlainDocument) => Promise<DrawnFile>

/** About 10 s of work. A client would not wait for more, and comes again later. */
const maxQueuedFiles = 20

/** About 300 receipts. They have personal data, so they are only in memory. */
const maxCachedBytes = 8 * 2 ** 20

const drawOnceByContent = cacheByContent(drawOutside(findWorker()), maxCachedBytes)

/**
 * Draws a file, or returns the one that was drawn for the same content. In the built server the main thread stays free
 * (D97). During the wait the call does not count as load (D92).
 */
export const drawPdf: Draw = document => waitOutside(() => drawOnceByContent(document))

/**
 * Draws in a worker thread. Without the file of the worker draws in this thread: Vite's dev server and the tests run the
 * sources, which a worker cannot load.
 */
export function drawOutside(workerFile: string | undefined): Draw {
  if (workerFile === undefined) return drawInThisThread
  // Only one thread, so that files wait for each other and leave the processor to all other calls. The thread ends
  // after a minute without work and gives its memory back.
  const pool = new Piscina({ filename: workerFile, minThreads: 0, maxThreads: 1, idleTimeout: 60_000 })
  return async document => {
    // Not the pool's own `maxQueue`, which says that the queue is full only in the text of an error.
    if (pool.queueSize >= maxQueuedFiles) return 'busy'
    const bytes: unknown = await pool.run(document, { name: 'drawInWorker' })
    if (bytes instanceof Uint8Array) return bytes
    throw new Error('The worker that draws files returned no bytes.')
  }
}

async function drawInThisThread(document: Receipt | PlainDocument): Promise<DrawnFile> {
  // Loaded only here: the built server draws in a worker, and starts without the PDF packages.
  const { loadRenderer } = await import('./load-renderer.ts')
  const draw = await loadRenderer()
  return draw(document)
}

/** Remembers files by a hash of their content, up to a number of bytes; forgets the one that was used longest ago first. */
export function cacheByContent(draw: Draw, maxBytes: number): Draw {
  const drawn = new Map<string, Uint8Array>()
  const running = new Map<string, Promise<DrawnFile>>()
  let bytes = 0

  function remember(key: string, file: Uint8Array): void {
    drawn.set(key, file)
    bytes += file.byteLength
    for (const [oldest, { byteLength }] of drawn) {
      if (bytes <= maxBytes) return
      drawn.delete(oldest)
      bytes -= byteLength
    }
  }

  async function drawOnce(key: string, document: Receipt | PlainDocument): Promise<DrawnFile> {
    try {
      const file = await draw(document)
      if (file !== 'busy') remember(key, file)
      return file
    } finally {
      running.delete(key)
    }
  }

  return async document => {
    const key = createHash('sha256').update(JSON.stringify(document)).digest('base64')
    const known = drawn.get(key)
    if (known) {
      drawn.delete(key)
      drawn.set(key, known)
      return known
    }
    const pending = running.get(key) ?? drawOnce(key, document)
    running.set(key, pending)
    return pending
  }
}

/** The build writes the worker beside the server's entry files; the other files of the server are a folder deeper. */
function findWorker(): string | undefined {
  return ['./pdf-worker.js', '../pdf-worker.js']
    .map(path => fileURLToPath(new URL(path, import.meta.url)))
    .find(path => existsSync(path))
}
