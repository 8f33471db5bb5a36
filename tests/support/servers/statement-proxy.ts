import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A proxy between a server and its PostgreSQL. Counts the statements, and runs an action of the test at one of them:
 * before the statement reaches the database, or after it is done but before the server knows.
 */
export type StatementProxy = {
  databaseUrl: string
  /**
   * Runs `act` at the statement with this number, counted from now, or at the first that contains this text. Then breaks
   * all connections.
   */
  breakAt(statement: number | string, moment: Moment, act: () => void): void
  /** Statements since `breakAt`. */
  count(): number
  close(): void
}

export type Moment = 'before' | 'after'

type PlannedBreak = { isReached: (sent: string) => boolean; moment: Moment; act: () => void }

const syncMessage = 'S'.charCodeAt(0)
const simpleQuery = 'Q'.charCodeAt(0)

export async function startStatementProxy(databaseUrl: string): Promise<StatementProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'statements-'))
  const url = new URL(databaseUrl)
  const database = join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  url.searchParams.set('host', folder)
  const state: ProxyState = { count: 0, planned: undefined, sockets: new Set() }

  const server = createServer(client => relay(client, createConnection(database), state))
  await new Promise<void>(resolve => {
    server.listen(join(folder, '.s.PGSQL.5432'), resolve)
  })
  return {
    databaseUrl: url.href,
    breakAt(statement, moment, act) {
      state.count = 0
      const isReached =
        typeof statement === 'number'
          ? () => state.count >= statement
          : (sent: string) => sent.includes(statement)
      state.planned = { isReached, moment, act }
    },
    count: () => state.count,
    close() {
      for (const socket of state.sockets) socket.destroy()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type ProxyState = {
  /** Statements since `breakAt`. */
  count: number
  planned: PlannedBreak | undefined
  sockets: Set<Socket>
}

/** Relays one connection in both directions, counts its statements and breaks it at the planned moment. */
function relay(client: Socket, upstream: Socket, state: ProxyState): void {
  for (const socket of [client, upstream]) {
    state.sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      state.sockets.delete(socket)
      client.destroy()
      upstream.destroy()
    })
  }
  const countStatements = createCounter()
  let unanswered = 0
  let sent = ''
  client.on('data', (chunk: Buffer) => {
    const statements = countStatements(chunk)
    unanswered += statements
    state.count += statements
    sent += String(chunk)
    if (mayPass(state, 'before', sent)) upstream.write(chunk)
  })
  upstream.on('data', (chunk: Buffer) => {
    // A response ends with ReadyForQuery: `Z`, its length in 4 bytes and a state in 1 byte.
    const isDone = unanswered > 0 && chunk.at(-6) === 'Z'.charCodeAt(0)
    if (!isDone || mayPass(state, 'after', sent)) client.write(chunk)
    if (isDone) {
      unanswered = 0
      sent = ''
    }
  })
}

/** Returns false, and breaks all connections, when the planned moment is reached. */
function mayPass(state: ProxyState, moment: Moment, sent: string): boolean {
  const { planned } = state
  if (planned === undefined || planned.moment !== moment || !planned.isReached(sent)) return true
  state.planned = undefined
  // The action runs first, so that a killed server does not see the broken connection.
  planned.act()
  for (const socket of state.sockets) socket.destroy()
  return false
}

/** Counts Sync and simple-query messages. The first message of a connection has no type letter. */
function createCounter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0)
  let isFirst = true
  return chunk => {
    rest = Buffer.concat([rest, chunk])
    let statements = 0
    for (;;) {
      const head = isFirst ? 0 : 1
      if (rest.length < head + 4) return statements
      const length = head + rest.readInt32BE(head)
      if (rest.length < length) return statements
      if (!isFirst && (rest[0] === syncMessage || rest[0] === simpleQuery)) statements += 1
      isFirst = false
      rest = rest.subarray(length)
    }
  }
}
