import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFullRun } from '#support/test-tier.ts'
import { type Cluster, openCluster } from '../country/cluster.ts'
import { createDemand } from '../country/demand.ts'
import { findNginx } from '../country/nginx.ts'
import { expectNothingLost } from '../country/expect-nothing-lost.ts'

const canRun = findNginx() !== undefined
let cluster: Cluster

beforeAll(async () => {
  if (!canRun) return
  cluster = await openCluster()
}, 120_000)
afterAll(() => cluster?.close())

describe('three processes behind nginx on one PostgreSQL', () => {
  it.runIf(canRun)(
    'lose and double nothing when one is frozen, and serve without one that was killed (D46, D72)',
    async () => {
      const demand = createDemand(cluster, { thinkMs: 50 })
      await demand.arrive(12, 1)
      await demand.reach('applicationId')
      const [first, second] = cluster.processes
      first?.signal('SIGSTOP')
      // Half of them go on although a process hangs.
      await demand.reach('isConfirmed', 6).finally(() => first?.signal('SIGCONT'))
      await demand.complete(120)
      await second?.stop('SIGKILL')
      const later = createDemand(cluster, { thinkMs: 50, firstIndex: 1_000 })
      await later.arrive(6, 1)
      await later.complete(120).finally(() => second?.start())
      expect([...demand.errors, ...later.errors]).toEqual([])
      await expectNothingLost(cluster, demand)
      await expectNothingLost(cluster, later)
    },
    240_000,
  )

  // In the long run only: the code that a killed process had claimed comes a minute later.
  it.runIf(canRun && isFullRun)(
    'lose and double nothing when one is frozen and one is killed (D46, D72)',
    async () => {
      const demand = createDemand(cluster, { thinkMs: 50, firstIndex: 2_000 })
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
    240_000,
  )
})
