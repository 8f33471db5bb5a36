import { describe, expect, it } from 'vitest'
import { medianOf } from '#support/checks/quantile.ts'
import { goldenReceipts, renderGolden } from '#support/data/golden-receipts.ts'

describe('renderGolden', () => {
  it('makes each receipt with at most 60 KiB and prints sizes and times', async () => {
    const rows: Record<string, Record<'KiB' | 'first ms' | 'median ms' | 'CPU ms', number>> = {}
    for (const golden of goldenReceipts) {
      const times: number[] = []
      let size = 0
      const before = process.cpuUsage()
      for (let run = 0; run < 11; run += 1) {
        const start = performance.now()
        size = (await renderGolden(golden)).length
        times.push(performance.now() - start)
      }
      // The mean CPU time of one receipt does not depend on other programs of the machine.
      const { user, system } = process.cpuUsage(before)
      const [first = 0] = times
      rows[`${golden.name} ${golden.language}`] = {
        KiB: Math.round(size / 102.4) / 10,
        'first ms': Math.round(first),
        'median ms': Math.round(medianOf(times)),
        'CPU ms': Math.round((user + system) / 1_000 / times.length),
      }
      expect(size).toBeLessThanOrEqual(60 * 1_024)
    }
    // oxlint-disable-next-line no-console -- this test prints a table
    console.table(rows)
  }, 600_000)
})
