import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isFullRun } from '#support/test-tier.ts'
import { type Cluster, openCluster } from '../country/cluster.ts'
import { createDemand, type Demand } from '../country/demand.ts'
import { findNginx, installedNginx, whyNoNginx } from '../country/nginx.ts'
import { expectNothingLost } from '../country/expect-nothing-lost.ts'

/** The short form of `npm run test:country`. nginx is not on every machine, and only the full run installs it. */
const canRun = (isFullRun ? findNginx() : installedNginx()) !== undefined
let cluster: Cluster

beforeAll(async () => {
  if (!canRun) return
  cluster = await openCluster()
}, 120_000)
beforeEach(({ skip }) => skip(!canRun, whyNoNginx))
afterAll(() => cluster?.close())

/**
 * Freezes one process and kills another. Brings both back when ten applicants have confirmed the form; those who had
 * done so before count too.
 */
async function strike(demand: Demand): Promise<void> {
  const [first, second] = cluster.processes
  first?.signal('SIGSTOP')
  await second?.stop('SIGKILL')
  await demand.reach('isConfirmed', 10).finally(() => first?.signal('SIGCONT'))
  await second?.start()
  await demand.complete({ timeoutSeconds: 120 })
  expect(demand.errors).toEqual([])
  await expectNothingLost(cluster, demand)
}

describe('three processes behind nginx on one PostgreSQL', () => {
  it('lose and double nothing when one is frozen and one is killed while applicants fill in the form (D46, D72)', async () => {
    const demand = createDemand(cluster, { thinkMs: 300 })
    // All at once: when the last has signed in, no code is on the way, and no applicant pays yet. After the kill, a
    // code or a payment could take a minute.
    await demand.arrive({ journeys: 20, seconds: 0 })
    await demand.reach('isSignedIn')
    await strike(demand)
  }, 180_000)

  it.runIf(isFullRun)(
    'lose and double nothing when one is frozen and one is killed while applicants are at different steps (D46, D72)',
    async () => {
      const demand = createDemand(cluster, { thinkMs: 50, firstIndex: 1_000 })
      await demand.arrive({ journeys: 20, seconds: 2 })
      await demand.reach('applicationId')
      await strike(demand)
    },
    // A payment that the killed process has begun may take more than a minute.
    240_000,
  )
})
