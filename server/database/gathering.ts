type Waiting<Item> = { item: Item; settle: (outcome: Promise<void>) => void }

/** A call that takes longer holds up nobody but its own: whoever comes next begins another beside it. Milliseconds. */
const patience = 2_000

/**
 * Makes one call of many: what comes while a call is under way waits for its end, and goes out with all that came
 * meanwhile; what comes alone goes out at once. When a call for several fails, each is tried once more by itself, so
 * that nobody fails for another: an item may come twice.
 */
export function gathering<Item>(
  run: (items: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let waiting: Waiting<Item>[] = []
  let loops = 0
  let began = 0
  const runAll = async () => {
    loops += 1
    try {
      while (waiting.length > 0) {
        const together = waiting
        waiting = []
        began = performance.now()
        await runTogether(together, run)
      }
    } finally {
      loops -= 1
    }
  }
  return item =>
    new Promise<void>(settle => {
      waiting.push({ item, settle })
      if (loops === 0 || performance.now() - began > patience) void runAll()
    })
}

async function runTogether<Item>(
  together: readonly Waiting<Item>[],
  run: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  const whole = run(together.map(({ item }) => item))
  const isDone = await whole.then(
    () => true,
    () => false,
  )
  const isAlone = together.length === 1
  for (const { item, settle } of together) settle(isDone || isAlone ? whole : run([item]))
}
