import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Returns the bytes in use in the heap of this thread, after a full garbage collection. */
export function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void // the function that the flag adds
  collect()
  return process.memoryUsage().heapUsed
}
