import { expect } from 'vitest'
import type { Cluster } from './cluster.ts'
import type { Demand } from './demand.ts'
import { type Counts, findFaults } from './oracle.ts'

/** Compares the database with all that the service has promised. Returns the counts of the journeys and of the database. */
export async function expectNothingLost({ db, payers }: Cluster, demand: Demand): Promise<Counts> {
  const { findings, counts } = await findFaults(db, {
    promises: demand.promises,
    paidOrders: payers.paidOrders(),
  })
  const faults = Object.entries(findings).filter(([, count]) => count > 0)
  expect(faults, 'what was lost or doubled').toEqual([])
  return counts
}
