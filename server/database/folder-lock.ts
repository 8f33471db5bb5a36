import { createHash } from 'node:crypto'
import { statSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type HeldLock = { kind: 'held'; release: () => Promise<void> }

export type FolderLock = HeldLock | { kind: 'taken' }

/** Callers throw it when they get `taken`: two processes with the embedded database open would destroy its files. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError'
  readonly folder: string

  constructor(folder: string) {
    super(`Another process has the database in ${folder} open. Stop it, or set another DATA_DIR.`)
    this.folder = folder
  }
}

/**
 * Acquires the lock of a folder; `taken` while another process, or this one, holds it. The lock is a listening local
 * socket, so it ends with its process, even after a crash. On macOS and BSD a crash leaves the file of the socket
 * behind; the next process sees that no process listens there, and replaces the file.
 *
 * The lock works on one machine only: two containers that share a volume and have separate networks do not see each
 * other's lock.
 *
 * @throws when the folder does not exist, or the socket fails for another reason than a held lock.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const address = lockAddress(folder)
  const server = (await listen(address)) ?? (await replaceDeadSocket(address))
  if (server === undefined) return { kind: 'taken' }
  return { kind: 'held', release: () => close(server) }
}

/** Returns the address of the lock, which is the same for every path to the folder, also through links and mounts. */
function lockAddress(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true })
  const name = `passport-portal-${createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)}`
  if (process.platform === 'linux') return `\0${name}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  return join(tmpdir(), `${name}.sock`)
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer(visitor => visitor.destroy())
    server.once('error', error => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    // Without `exclusive` the workers of Node's `cluster` module would share one socket, and each would believe that it holds the
    // lock.
    server.listen({ path: address, exclusive: true }, () => {
      server.unref()
      resolve(server)
    })
  })
}

/** On macOS and BSD the socket is a file, which stays behind when its process is killed. */
async function replaceDeadSocket(address: string): Promise<Server | undefined> {
  const isFile = address.startsWith('/')
  if (!isFile || (await isLockAlive(address))) return undefined
  unlinkSync(address)
  return listen(address)
}

function isLockAlive(address: string): Promise<boolean> {
  return new Promise(resolve => {
    const visit = connect(address, () => {
      visit.destroy()
      resolve(true)
    })
    visit.once('error', () => resolve(false))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close(error => (error === undefined ? resolve() : reject(error)))
  })
}
