import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openTestDatabase } from './test-databases.ts'
import { createApplicants, openBusyOffice } from '#support/data/paying-applicants.ts'
import { startPortal } from './portal.ts'

/** Several server processes on one PostgreSQL, as an operator runs them. */
export type ServerProcesses = Awaited<ReturnType<typeof startProcesses>>

export async function startProcesses(count: number, environment: Record<string, string> = {}) {
  build()
  const database = await openTestDatabase('postgresql')
  const { db, databaseUrl } = database
  const start = (url = databaseUrl) =>
    startPortal({ DATABASE_URL: url, LOG_LEVEL: 'warn', FREED_PLACE_SECONDS: '0', ...environment })
  // The first server creates the tables and the keys; the others find them.
  const first = await start()
  const portals = [first, ...(await Promise.all(Array.from({ length: count - 1 }, () => start())))]
  await openBusyOffice(db)
  return {
    db,
    databaseUrl,
    portals,
    /** Starts one more server. `url`: another address of the same database. */
    start,
    applicants: (number: number) => createApplicants(db, number),
    async close() {
      await Promise.all(portals.map(portal => portal.close()))
      await database.close()
    },
  }
}

/** Reuses the build of an earlier test if the sources are the same. */
function build(): void {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
}
