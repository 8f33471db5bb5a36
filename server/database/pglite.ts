import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { DurableNodeFS, syncFolder, syncTree, type SyncFile } from './pglite-files.ts'

export type OpenPglite = {
  engine: PGlite
  /** What has made the engine untrustworthy (a disk that refuses), if anything has. */
  fault: () => unknown
  close: () => Promise<void>
}

/** An engine that lives and dies with this process. */
export async function openPgliteInMemory(): Promise<OpenPglite> {
  const engine = await PGlite.create({ startParams: [...PGlite.defaultStartParams, ...SMALL] })
  return { engine, fault: () => undefined, close: () => engine.close() }
}

/** An engine over a folder; what it acknowledges is on the disk. The caller holds the lock of the folder. */
export async function openPgliteFolder(folder: string, syncFile?: SyncFile): Promise<OpenPglite> {
  if (!existsSync(folder)) await createFolder(folder, syncFile)
  const files = new DurableNodeFS(folder, syncFile)
  const engine = await PGlite.create({ fs: files, startParams: DURABLE })
  return { engine, fault: () => files.fault, close: () => engine.close() }
}

/** Made beside its place and moved there when complete, so that a power cut in between leaves no half database. */
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

/** PostgreSQL's own 128 MB of buffers are for servers; the operating system caches the files anyway. */
const SMALL = ['-c', 'shared_buffers=16MB']

/** Without `-F` (no fsync); `wal_sync_method` because the default, fdatasync, does nothing in this engine either. */
const DURABLE = [
  ...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'),
  ...SMALL,
  '-c',
  'fsync=on',
  '-c',
  'wal_sync_method=fsync',
]
