import { closeSync, fsyncSync, openSync, opendirSync } from 'node:fs'
import { join } from 'node:path'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import type { PGlite } from '@electric-sql/pglite'

/** Flushes one open file or folder to the disk. `path` is for tests only. */
export type SyncFile = (descriptor: number, path: string) => void

/**
 * PGlite's file system on disk, with a real fsync. PGlite's own fsync does nothing, so it would acknowledge a commit
 * before the commit is on the disk. This class relies on internals of Emscripten's NODEFS; a test counts the fsyncs.
 */
export class DurableNodeFS extends NodeFS {
  readonly #syncFile: SyncFile
  #fault: unknown

  constructor(folder: string, syncFile: SyncFile = fsyncSync) {
    super(folder)
    this.#syncFile = syncFile
  }

  /** The error of the first fsync that failed. After it, no answer of the database can be trusted. */
  get fault(): unknown {
    return this.#fault
  }

  override async init(pglite: PGlite, options: PGliteOptions) {
    const prepared = await super.init(pglite, options)
    prepared.emscriptenOpts.preRun?.push(emscripten => {
      // PGlite hides the type of this object.
      const nodeFs = emscripten.NODEFS as unknown as EmscriptenNodeFS
      nodeFs.stream_ops.fsync = stream => this.#sync(stream.nfd, nodeFs.realPath(stream.node))
    })
    return prepared
  }

  /** Returns what PostgreSQL expects: 0, or the error number that aborts the commit. */
  #sync(descriptor: number, path: string): number {
    try {
      this.#syncFile(descriptor, path)
      return 0
    } catch (error) {
      this.#fault ??= error
      return INPUT_OUTPUT_ERROR
    }
  }
}

/** Flushes a folder to the disk: first its files and subfolders, then its list of names. */
export function syncTree(folder: string, syncFile: SyncFile = fsyncSync): void {
  const listing = opendirSync(folder)
  try {
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) syncTree(path, syncFile)
      else if (entry.isFile()) syncPath(path, syncFile)
    }
  } finally {
    listing.closeSync()
  }
  syncFolder(folder, syncFile)
}

/** Flushes the list of names of a folder to the disk. Windows does not support this and does not need it. */
export function syncFolder(folder: string, syncFile: SyncFile = fsyncSync): void {
  if (process.platform === 'win32') return
  syncPath(folder, syncFile, 'r')
}

function syncPath(path: string, syncFile: SyncFile, flags = 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    syncFile(descriptor, path)
  } finally {
    closeSync(descriptor)
  }
}

/** EIO as WASI numbers it; the operating system may number it differently. */
const INPUT_OUTPUT_ERROR = 29

type PGliteOptions = Parameters<NodeFS['init']>[1]

/** The two members that `DurableNodeFS` uses. */
type EmscriptenNodeFS = {
  realPath(node: unknown): string
  stream_ops: { fsync?: (stream: { nfd: number; node: unknown }) => number }
}
