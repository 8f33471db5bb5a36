import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Portal } from './portal.ts'
import { runOfficeCommand } from './run-office-command.ts'

/**
 * Stops a portal with the embedded database, copies the database and starts the portal again, as an operator does for a
 * backup. `restore` stops the portal, puts the copy back, runs the command `after-restore` and starts the portal.
 */
export async function backUp(portal: Portal): Promise<{ restore(): Promise<void> }> {
  const database = join(portal.dataDir, 'database')
  const copy = join(portal.dataDir, 'backup')
  await portal.stop()
  cpSync(database, copy, { recursive: true })
  await portal.start()
  return {
    async restore() {
      await portal.stop()
      rmSync(database, { recursive: true })
      cpSync(copy, database, { recursive: true })
      const ran = await runOfficeCommand({ DATA_DIR: portal.dataDir }, portal.dataDir, 'after-restore')
      expect(ran.errorOutput).toBe('')
      expect(ran.code).toBe(0)
      await portal.start()
    },
  }
}
