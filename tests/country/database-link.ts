import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The network between one server process and PostgreSQL. */
export type DatabaseLink = {
  databaseUrl: string
  /** From now on no byte passes, and the link closes no connection: as when a cable is cut. */
  cut(): void
  /** Ends all connections, because each may lack bytes that were lost; new ones work. */
  mend(): void
  close(): void
}

/** `databaseUrl`: its `host` is the folder of PostgreSQL's socket, on port 5432. The link listens on a socket of its own. */
export async function createDatabaseLink(databaseUrl: string): Promise<DatabaseLink> {
  const folder = mkdtempSync(join(tmpdir(), 'link-'))
  const url = new URL(databaseUrl)
  const target = join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  url.searchParams.set('host', folder)
  const sockets = new Set<Socket>()
  let isCut = false

  const server = createServer(client => {
    const upstream = createConnection(target)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk: Buffer) => {
        if (!isCut) to.write(chunk)
      })
      from.on('error', () => from.destroy())
      from.on('close', () => {
        sockets.delete(from)
        // A cut connection hears nothing, not even that the other side has closed.
        if (!isCut) to.destroy()
      })
    }
  })
  await new Promise<void>(resolve => {
    server.listen(join(folder, '.s.PGSQL.5432'), resolve)
  })
  function endConnections(): void {
    for (const socket of sockets) socket.destroy()
  }
  return {
    databaseUrl: url.href,
    cut() {
      isCut = true
    },
    mend() {
      isCut = false
      endConnections()
    },
    close() {
      endConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
