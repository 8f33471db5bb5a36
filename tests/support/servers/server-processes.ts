import { buildServer } from './build-server.ts'
import { openMigratedDatabase } from './test-databases.ts'
import { createApplicants, openLargeOffice } from '#support/data/paying-applicants.ts'
import { startPortal } from './portal.ts'

/** Several server processes on one PostgreSQL, as an operator runs them. */
export type ServerProcesses = Awaited<ReturnType<typeof startProcesses>>

export async function startProcesses(count: number, environment: Record<string, string> = {}) {
  buildServer()
  const database = await openMigratedDatabase('postgresql')
  const { db, databaseUrl } = database
  const start = (url = databaseUrl) =>
    startPortal({ DATABASE_URL: url, LOG_LEVEL: 'warn', FREED_PLACE_SECONDS: '0', ...environment })
  // The first server creates the keys and the offices; the others find them.
  const first = await start()
  const portals = [first, ...(await Promise.all(Array.from({ length: count - 1 }, () => start())))]
  await openLargeOffice(db)
  return {
    db,
    databaseUrl,
    portals,
    /** Starts one more server, which `close` does not stop. `url`: another address of the same database. */
    start,
    applicants: (number: number) => createApplicants(db, number),
    async close() {
      await Promise.all(portals.map(portal => portal.close()))
      await database.close()
    },
  }
}
