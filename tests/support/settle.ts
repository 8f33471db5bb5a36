/** Waits at least 150 ms, so that the work that a late answer starts can end. For a check that something did not happen. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await new Promise(resolve => setTimeout(resolve, 5))
}

/** Waits one turn of the event loop: all work ends that waits for promises alone, such as work on a store in memory. */
export async function flushPromises(): Promise<void> {
  await new Promise<void>(resolve => {
    setImmediate(resolve)
  })
}
