// `npm run bench:journey -- --counts`: passes the options to bench-journey.test.ts, because Vitest knows none of them.
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'

const parts = ['counts', 'slow', 'worst', 'warm', 'month']
const { values } = parseArgs({
  options: Object.fromEntries(parts.map(part => [part, { type: 'boolean', default: false }])),
})
const wanted = parts.filter(part => values[part])
process.env.BENCH_JOURNEY = (wanted.length > 0 ? wanted : ['counts', 'slow']).join()

const vitest = await startVitest('test', [], {
  run: true,
  project: ['bench-journey'],
  disableConsoleIntercept: true,
})
await vitest.close()
process.exit()
