import { once } from 'node:events'
import { createConnection, createServer, type Server, Socket } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'
import { openTestDatabase, poolTimeoutMs, type TestDatabase } from '#support/servers/test-databases.ts'

let database: TestDatabase
let proxy: Server
let port: number
const sockets = new Set<Socket>()

/** PostgreSQL of the tests has a local socket only: a proxy makes it answer on TCP. */
beforeAll(async () => {
  database = await openTestDatabase('postgresql')
  const folder = new URL(database.databaseUrl).searchParams.get('host') ?? ''
  proxy = createServer(client => {
    const upstream = createConnection(join(folder, '.s.PGSQL.5432'))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
    client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(async () => {
  proxy?.close()
  for (const socket of sockets) socket.destroy()
  await database?.close()
})

describe('a connection to PostgreSQL over TCP (D92)', () => {
  it('asks the system for a probe after 10 s without traffic, in the pool and in the listener', async () => {
    // Passes each call on: the connections are real, and nothing else shows what the system was asked for.
    const asked = vi.spyOn(Socket.prototype, 'setKeepAlive')
    try {
      const url = new URL(database.databaseUrl)
      url.searchParams.delete('host')
      url.host = `127.0.0.1:${port}`
      const remote = await connectDatabase({ databaseUrl: url.href, dataDir: '', timeoutMs: poolTimeoutMs })
      await sql`select 1`.execute(remote.db)
      const received: string[] = []
      const { stop } = remote.listen(payload => received.push(payload))
      // An empty payload: the connection of the listener is open.
      await expect.poll(() => received).toEqual([''])
      const ofThisTest = asked.mock.calls.filter((_, index) => {
        const socket: unknown = asked.mock.contexts[index]
        return socket instanceof Socket && socket.remotePort === port
      })
      expect(ofThisTest).toEqual([
        [true, 10_000],
        [true, 10_000],
      ])
      await stop()
      await remote.close()
    } finally {
      asked.mockRestore()
    }
  })
})
