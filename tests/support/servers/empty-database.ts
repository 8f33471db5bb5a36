import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openPgliteFolder, openPgliteInMemory } from '#server/database/pglite.ts'

/** Copies an empty embedded database, without tables, into a data folder, because creating one takes seconds of CPU. */
export async function copyEmptyDatabase(dataDir: string): Promise<void> {
  cpSync(await findOrMake('database', makeFolder), join(dataDir, 'database'), { recursive: true })
}

/** Returns the data folder of an empty embedded database, for an engine in memory. */
export async function dumpEmptyDatabase(): Promise<Blob> {
  return new Blob([await readFile(await findOrMake('database.tar', makeDump))])
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** All runs of this checkout share the files, until the engine or its settings change. */
function cacheFolder(): string {
  const hash = createHash('sha256')
  for (const file of ['node_modules/@electric-sql/pglite/package.json', 'server/database/pglite.ts'])
    hash.update(readFileSync(join(root, file)))
  return join(root, 'node_modules/.empty-databases', hash.digest('hex').slice(0, 16))
}

/** Makes the file or folder beside its path and renames it when complete: several processes may make it at once. */
async function findOrMake(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const folder = cacheFolder()
  const path = join(folder, name)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const own = mkdtempSync(join(folder, 'unfinished-'))
  await make(join(own, name))
  try {
    renameSync(join(own, name), path)
  } catch (error) {
    // A file is replaced. A folder is not: if it exists now, another process was faster.
    if (!existsSync(path)) throw error
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
  return path
}

async function makeFolder(folder: string): Promise<void> {
  const { close } = await openPgliteFolder(folder)
  await close()
}

async function makeDump(file: string): Promise<void> {
  const { engine, close } = await openPgliteInMemory()
  const dump = await engine.dumpDataDir('none')
  await close()
  await writeFile(file, new Uint8Array(await dump.arrayBuffer()))
}
