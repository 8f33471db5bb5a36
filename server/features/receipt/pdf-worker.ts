import { loadRenderer } from './load-renderer.ts'
import type { PlainDocument, Receipt } from './receipt.ts'

/** Runs in a worker thread: drawing a file takes up to a second, in which the main thread would answer no request. */
export async function drawInWorker(document: Receipt | PlainDocument): Promise<Uint8Array> {
  const draw = await loadRenderer()
  return draw(document)
}
