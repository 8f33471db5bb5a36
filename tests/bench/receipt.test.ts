import { describe, expect, it } from 'vitest'
import { medianOf } from '#support/checks/quantile.ts'
import { goldenReceipts, renderGolden } from '#support/data/golden-receipts.ts'

describe('the renderer of receipts', () => {
  it('makes each receipt not larger than 60 KiB, and prints sizes and times', async () => {
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
      // The mean of one receipt. Unlike the other times, it hardly depends on other programs of the machine.
      const { user, system } = process.cpuUsage(before)
      // Only the very first one parses the fonts.
      const [first = 0] = times
      rows[`${golden.name} ${golden.language}`] = {
        KiB: Math.round((size / 1_024) * 10) / 10,
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
