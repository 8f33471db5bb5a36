import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Stands between a server and its PostgreSQL, counts the statements, and at one of them does what a test wants:
 * before it has reached the database, or when it is done and the server does not know yet.
 */
export type StatementProxy = {
  databaseUrl: string
  /**
   * `act` runs at the statement with this number, counted from now, or at the first that says this; the line is dead
   * from then on.
   */
  breakAt(statement: number | string, moment: Moment, act: () => void): void
  /** Statements since `breakAt`. */
  count(): number
  close(): void
}

/** What PostgreSQL calls the connections that come this way. */
export const throughProxy = 'through the proxy'

export type Moment = 'before' | 'after'

type PlannedBreak = { isReached: (said: string) => boolean; moment: Moment; act: () => void }

const terminator = 'S'.charCodeAt(0)
const simpleQuery = 'Q'.charCodeAt(0)

export async function startStatementProxy(databaseUrl: string): Promise<StatementProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'statements-'))
  const url = new URL(databaseUrl)
  const database = join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  url.searchParams.set('host', folder)
  url.searchParams.set('application_name', throughProxy)
  let counted = 0
  let planned: PlannedBreak | undefined
  const lines = new Set<Socket>()

  /** Whether the line goes on. */
  function pass(moment: Moment, said: string): boolean {
    if (planned === undefined || planned.moment !== moment || !planned.isReached(said)) return true
    const { act } = planned
    planned = undefined
    // First, so that who is killed does not hear of it.
    act()
    for (const line of lines) line.destroy()
    return false
  }

  const server = createServer(client => {
    const upstream = createConnection(database)
    for (const line of [client, upstream]) {
      lines.add(line)
      line.on('error', () => line.destroy())
      line.on('close', () => {
        lines.delete(line)
        client.destroy()
        upstream.destroy()
      })
    }
    const countStatements = createCounter()
    let asked = 0
    let said = ''
    client.on('data', (chunk: Buffer) => {
      const statements = countStatements(chunk)
      asked += statements
      counted += statements
      said += String(chunk)
      if (pass('before', said)) upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      const isDone = asked > 0 && chunk.at(-6) === 'Z'.charCodeAt(0)
      if (!isDone || pass('after', said)) client.write(chunk)
      if (isDone) {
        asked = 0
        said = ''
      }
    })
  })
  await new Promise<void>(resolve => {
    server.listen(join(folder, '.s.PGSQL.5432'), resolve)
  })
  return {
    databaseUrl: url.href,
    breakAt(statement, moment, act) {
      counted = 0
      const isReached =
        typeof statement === 'number'
          ? () => counted >= statement
          : (said: string) => said.includes(statement)
      planned = { isReached, moment, act }
    },
    count: () => counted,
    close() {
      for (const line of lines) line.destroy()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Statements end in a Sync, or are a simple query; the first message of a line has no letter. */
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
      if (!isFirst && (rest[0] === terminator || rest[0] === simpleQuery)) statements += 1
      isFirst = false
      rest = rest.subarray(length)
    }
  }
}
