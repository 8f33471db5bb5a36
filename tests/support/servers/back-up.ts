import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Portal } from './portal.ts'
import { runOfficeCommand } from './run-office-command.ts'

/** Copies the data of the stopped portal with the embedded database, as an operator does for a backup. */
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
