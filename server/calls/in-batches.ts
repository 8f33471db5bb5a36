import { setImmediate } from 'node:timers/promises'

/** Items between two pauses: some milliseconds of work. */
const batchSize = 50

/** Maps a long list with pauses, in which the main thread serves other requests (D121). */
export async function mapInBatches<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % batchSize === 0) await setImmediate()
    results.push(map(item))
  }
  return results
}
