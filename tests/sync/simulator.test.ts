import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isFullRun } from '#support/test-tier.ts'
import { simulate } from './simulation.ts'

const file = new URL('seeds.json', import.meta.url)
const failedSeeds: number[] = JSON.parse(readFileSync(file, 'utf8'))
const newSeeds = Array.from({ length: isFullRun ? 100_000 : 400 }, (_, index) => index + 1)
const seeds = new Set([...failedSeeds, ...newSeeds])
const timeoutMs = isFullRun ? 7_200_000 : 300_000

describe('two phones on a bad network', () => {
  it(
    'lose nothing that was reported as saved unless the applicant replaces it or is told, whatever the network and the phones do (OFF05, OFF07, OFF10, S93)',
    async () => {
      let timerRuns = 0
      let replacedDrafts = 0
      let incompleteRefusals = 0
      for (const seed of seeds) {
        const played = await simulate(seed).catch(error => {
          remember(seed)
          throw error
        })
        timerRuns += played.timerRuns
        replacedDrafts += played.replacedDrafts
        incompleteRefusals += played.incompleteRefusals
        const expected = played.isMissingAfterRestore ? [0, 1] : [1]
        if (played.lost.length + played.unsent.length > 0 || !expected.includes(played.applications))
          remember(seed)
        expect(played.lost, `seed ${seed}\n${played.trail.join('\n')}`).toEqual([])
        expect(played.unsent, `seed ${seed}\n${played.trail.join('\n')}`).toEqual([])
        expect(expected, `seed ${seed}`).toContain(played.applications)
      }
      // Simulations in which few timers run would prove nothing.
      expect(timerRuns / seeds.size).toBeGreaterThan(50)
      expect(replacedDrafts / seeds.size).toBeGreaterThan(1 / 20)
      expect(incompleteRefusals / seeds.size).toBeGreaterThan(1 / 20)
    },
    timeoutMs,
  )
})

/** Stores a seed that has failed. Later runs play the stored seeds first. */
function remember(seed: number) {
  if (!failedSeeds.includes(seed)) writeFileSync(file, `${JSON.stringify([...failedSeeds, seed])}\n`)
}
