import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Some objects become free only in a task that follows a collection, so a single collection would count them. */
const collections = 5

/** Returns the bytes in use in the heap of this thread, after full garbage collections. */
export async function heapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void // the function that the flag adds
  for (let count = 0; count < collections; count += 1) {
    collect()
    await setImmediate()
  }
  return process.memoryUsage().heapUsed
}
