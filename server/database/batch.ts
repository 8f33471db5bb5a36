type WaitingItem<Item> = { item: Item; resolve: (outcome: Promise<void>) => void }

/** A call that takes longer holds up nobody but its own: whoever comes next begins another beside it. Milliseconds. */
const maxBatchWaitMs = 2_000

/**
 * Makes one call of many: what comes while a call is under way waits for its end, and goes out with all that came
 * meanwhile; what comes alone goes out at once. When a call for several fails, each is tried once more by itself, so
 * that nobody fails for another: an item may come twice.
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
