/**
 * Loaded into a server before it starts (`--import`, with `--expose-gc`), and by Node into each worker of the server.
 * Answers each message with the memory that the process uses before and after a full garbage collection.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const workerReportEveryMs = 15_000

const threads = new BroadcastChannel('memory-probe')
if (isMainThread) answerMessages()
else reportBeforeWaits()
threads.unref()

function answerMessages() {
  let workerHeap = 0
  threads.addEventListener('message', ({ data }) => (workerHeap = data))
  process.on('message', () => void answer(() => workerHeap))
  // The channel must not keep the server alive after SIGTERM.
  process.channel.unref()
}

async function answer(readWorkerHeap) {
  const residentBefore = process.memoryUsage.rss()
  // The second collection also frees what the finalizers of the first one released.
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc()
    await nextTurn()
  }
  process.send({ residentBefore, workerHeap: readWorkerHeap(), after: process.memoryUsage() })
}

/**
 * The worker draws PDF files. Between two files it receives no message: its pool blocks the thread with `Atomics.wait`.
 * So the worker reports on its own before such a wait, at most every 15 s.
 */
function reportBeforeWaits() {
  const { wait } = Atomics
  let nextMs = 0
  Atomics.wait = (...values) => {
    if (performance.now() >= nextMs) {
      nextMs = performance.now() + workerReportEveryMs
      globalThis.gc()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel of threads has no origin
      threads.postMessage(process.memoryUsage().heapUsed)
    }
    return wait(...values)
  }
}
