/**
 * Loaded into a server before its own code (`--import`). Measures the CPU time of each turn of the event loop, in which the
 * main thread can serve no other call. The time in which other programs of a busy machine had the CPU does not count.
 * GET /start of PROBE_PORT begins a measurement, GET /longest ends it and answers the longest turn in milliseconds.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { isMainThread } from 'node:worker_threads'

const mainThreadMs = () => {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}

function watchTurns() {
  let isOn = false
  let last = 0
  let longest = 0
  function turn() {
    const now = mainThreadMs()
    longest = Math.max(longest, now - last)
    last = now
    if (isOn) setImmediate(turn)
  }
  const server = createServer((request, response) => {
    if (request.url === '/start') {
      isOn = true
      last = mainThreadMs()
      longest = 0
      setImmediate(turn)
    } else isOn = false
    response.end(String(longest))
  })
  server.listen(Number(process.env.PROBE_PORT), '127.0.0.1')
  server.unref()
}

// The threads that draw files load this file too.
if (isMainThread) watchTurns()
