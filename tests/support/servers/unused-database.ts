import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPgliteFolder } from '#server/database/pglite.ts'

/** Gives a data folder an embedded database in which nothing was done yet: making one takes seconds, a copy does not. */
export async function copyUnusedDatabase(dataDir: string): Promise<void> {
  made ??= make()
  cpSync(await made, join(dataDir, 'database'), { recursive: true })
}

/** One for all test files of a process. */
let made: Promise<string> | undefined

async function make(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'unused-database-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, 'database')
  const { close } = await openPgliteFolder(folder)
  await close()
  return folder
}
