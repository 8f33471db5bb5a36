import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { DurableNodeFS, syncFolder, syncTree, type SyncFile } from './pglite-files.ts'

export type OpenPglite = {
  engine: PGlite
  /** Returns the error of the first failed fsync, after which no commit can be trusted; undefined when none failed. */
  fault: () => unknown
  close: () => Promise<void>
}

/**
 * Opens an engine without files: its data ends with the process. `dump`: the data folder of an earlier engine, because
 * creating a new one takes seconds.
 */
export async function openPgliteInMemory(dump?: Blob): Promise<OpenPglite> {
  const engine = await PGlite.create({
    startParams: [...PGlite.defaultStartParams, ...SMALL],
    ...(dump && { loadDataDir: dump }),
  })
  return { engine, fault: () => undefined, close: () => engine.close() }
}

/**
 * Opens an engine over a folder. A commit that it acknowledges is on the disk, unless the transaction has set
 * `synchronous_commit` to off. The caller holds the folder's lock.
 */
export async function openPgliteFolder(folder: string, syncFile?: SyncFile): Promise<OpenPglite> {
  if (!existsSync(folder)) await createFolder(folder, syncFile)
  const files = new DurableNodeFS(folder, syncFile)
  const engine = await PGlite.create({ fs: files, startParams: DURABLE })
  return { engine, fault: () => files.fault, close: () => engine.close() }
}

/**
 * Creates the database beside its final path and renames it when complete: a power cut leaves no partial database
 * there.
 */
async function createFolder(folder: string, syncFile?: SyncFile): Promise<void> {
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  const engine = await PGlite.create({
    dataDir: unfinished,
    startParams: [...PGlite.defaultStartParams, ...SMALL],
  })
  await engine.close()
  syncTree(unfinished, syncFile)
  renameSync(unfinished, folder)
  syncFolder(dirname(folder), syncFile)
}

/** PostgreSQL's default of 128 MB is for servers; the operating system caches the files anyway. */
const SMALL = ['-c', 'shared_buffers=16MB']

/**
 * Removes `-F`, which switches fsync off, and sets `wal_sync_method`, because the default, fdatasync, does nothing in
 * this engine.
 */
const DURABLE = [
  ...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'),
  ...SMALL,
  '-c',
  'fsync=on',
  '-c',
  'wal_sync_method=fsync',
]
