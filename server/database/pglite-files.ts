import { closeSync, fsyncSync, openSync, opendirSync } from 'node:fs'
import { join } from 'node:path'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import type { PGlite } from '@electric-sql/pglite'

/** Makes one open file (or folder) survive a power cut. The path only says which it is. */
export type SyncFile = (descriptor: number, path: string) => void

/**
 * PGlite's files on disk, with a real fsync. As shipped its fsync does nothing, so a commit would be acknowledged
 * before it is on the disk. Relies on Emscripten's NODEFS internals: a test counts the fsyncs.
 */
export class DurableNodeFS extends NodeFS {
  readonly #syncFile: SyncFile
  #fault: unknown

  constructor(folder: string, syncFile: SyncFile = fsyncSync) {
    super(folder)
    this.#syncFile = syncFile
  }

  /** The first fsync that failed: from then on nothing this database says may be believed. */
  get fault(): unknown {
    return this.#fault
  }

  override async init(pglite: PGlite, options: EngineOptions) {
    const prepared = await super.init(pglite, options)
    prepared.emscriptenOpts.preRun?.push(engine => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- typed as opaque: these are the two members the cure needs
      const nodeFiles = engine.NODEFS as unknown as NodeFiles
      nodeFiles.stream_ops.fsync = stream => this.#sync(stream.nfd, nodeFiles.realPath(stream.node))
    })
    return prepared
  }

  /** Answers as the engine expects: 0, or the error number that makes it give up the commit. */
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

/** Makes a whole folder survive a power cut: every file, then the folder that lists it. */
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

/** Makes the names in a folder survive a power cut. Windows cannot, and does not need to. */
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

/** EIO in the numbering of the engine (WASI), whatever the machine's own. */
const INPUT_OUTPUT_ERROR = 29

type EngineOptions = Parameters<NodeFS['init']>[1]

type NodeFiles = {
  realPath(node: unknown): string
  stream_ops: { fsync?: (stream: { nfd: number; node: unknown }) => number }
}
