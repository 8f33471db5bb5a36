import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPgliteFolder } from '#server/database/pglite.ts'

/** Copies an unused embedded database into a data folder, because creating one takes seconds. */
export async function copyUnusedDatabase(dataDir: string): Promise<void> {
  made ??= make()
  cpSync(await made, join(dataDir, 'database'), { recursive: true })
}

/** The database to copy, one for each process. */
let made: Promise<string> | undefined

async function make(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'unused-database-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, 'database')
  const { close } = await openPgliteFolder(folder)
  await close()
  return folder
}
