type WaitingItem<Item> = { item: Item; resolve: (outcome: Promise<void>) => void }

/** If a batch has run for longer than this, in milliseconds, the next item starts a second batch in parallel. */
const maxBatchWaitMs = 2_000

/**
 * Combines calls into batches. An item that arrives during a batch waits for its end and joins the next batch;
 * otherwise it runs at once. When a batch of several items fails, each item is retried alone, so `run` may get an item
 * twice.
 *
 * The returned function resolves when its item has succeeded, and rejects with the error of the item's last try.
 */
export function batchCalls<Item>(
  run: (items: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let waiting: WaitingItem<Item>[] = []
  let runningLoops = 0
  let startedAt = 0
  const runWaiting = async () => {
    runningLoops += 1
    try {
      while (waiting.length > 0) {
        const items = waiting
        waiting = []
        startedAt = performance.now()
        await runBatch(items, run)
      }
    } finally {
      runningLoops -= 1
    }
  }
  return item =>
    new Promise<void>(resolve => {
      waiting.push({ item, resolve })
      if (runningLoops === 0 || performance.now() - startedAt > maxBatchWaitMs) void runWaiting()
    })
}

async function runBatch<Item>(
  items: readonly WaitingItem<Item>[],
  run: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  const batchResult = run(items.map(({ item }) => item))
  const isDone = await batchResult.then(
    () => true,
    () => false,
  )
  const isSingle = items.length === 1
  for (const { item, resolve } of items) resolve(isDone || isSingle ? batchResult : run([item]))
}
