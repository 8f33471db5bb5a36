import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFullRun } from '#support/test-tier.ts'
import { type Cluster, openCluster } from '../country/cluster.ts'
import { createDemand } from '../country/demand.ts'
import { findNginx } from '../country/nginx.ts'
import { expectNothingLost } from '../country/expect-nothing-lost.ts'

/** In the long run only: the code that a killed process had claimed comes a minute later. */
const canRun = isFullRun && findNginx() !== undefined
let cluster: Cluster

beforeAll(async () => {
  if (!canRun) return
  cluster = await openCluster()
}, 120_000)
afterAll(() => cluster?.close())

describe('three processes behind nginx on one PostgreSQL', () => {
  it.runIf(canRun)(
    'lose and double nothing when one is frozen and one is killed (D46, D72)',
    async () => {
      const demand = createDemand(cluster, { thinkMs: 50 })
      await demand.arrive(20, 2)
      await demand.reach('applicationId')
      const [first, second] = cluster.processes
      first?.signal('SIGSTOP')
      await second?.stop('SIGKILL')
      // Half of them go on although a process hangs.
      await demand.reach('isConfirmed', 10).finally(() => first?.signal('SIGCONT'))
      await second?.start()
      await demand.complete(120)
      expect(demand.errors).toEqual([])
      await expectNothingLost(cluster, demand)
    },
    // A killed process may have claimed the message with a code, which comes a minute later.
    240_000,
  )
})
