import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { freePort } from './free-port.ts'
import { createDatabase, type SharedPostgresql } from './shared-postgresql.ts'

/** A running portal, as an applicant uses it. */
export type OpenPortal = {
  origin: string
  dataDir: string
  /** The messages that the server has sent so far, oldest first (D3). */
  messages(): Message[]
  /** Waits for a code that this function has not returned before. `contact`: the digits of a phone, or an e-mail address. */
  codeFor(contact: string): Promise<string>
}

/** The product as an operator runs it: the built server in its own process, with its own data. */
export type Portal = OpenPortal & {
  /** Undefined: the database is embedded, in the data folder. */
  databaseUrl: string | undefined
  log(): string
  /** Stops the server and keeps its data. */
  stop(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  /** Stops the server and deletes its data folder. */
  close(): Promise<void>
}

export type Message = {
  to: string
  channel: 'sms' | 'email'
  kind: string
  text: string
  code?: string
  at: string
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

export type PortalSettings = {
  /** A built checkout; this checkout by default. */
  folder?: string
  /** True: the database that `npm start` uses, in the portal's data folder. */
  hasEmbeddedDatabase?: boolean
}

/**
 * Starts a portal with a new database in the PostgreSQL of the run, which needs a third of the embedded database's CPU
 * time. Where the run has no PostgreSQL, the database is embedded. `environment` may name another database.
 */
export async function startPortal(
  environment: Record<string, string> = {},
  { folder = root, hasEmbeddedDatabase = false }: PortalSettings = {},
): Promise<Portal> {
  const needsDatabase = !hasEmbeddedDatabase && !('DATABASE_URL' in environment)
  const database = needsDatabase ? await newDatabaseIn(inject('postgresql')) : {}
  return runPortal({ environment: { ...environment, ...database }, folder })
}

/** Returns the variables for a portal with a new database, which exists until PostgreSQL stops; {} without PostgreSQL. */
export async function newDatabaseIn(
  postgresql: SharedPostgresql | undefined,
): Promise<Record<string, string>> {
  if (postgresql?.kind !== 'running') return {}
  const { databaseUrl } = await createDatabase(postgresql)
  return { DATABASE_URL: databaseUrl }
}

/** Runs the portal like `npm start -- --tls`: https with a self-signed certificate. */
export async function startTlsPortal(): Promise<Portal> {
  return runPortal({ environment: await newDatabaseIn(inject('postgresql')), folder: root, isTls: true })
}

type Run = {
  environment: Record<string, string>
  folder: string
  isTls?: boolean
}

export async function runPortal({ environment, folder, isTls = false }: Run): Promise<Portal> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-'))
  const port = await freePort()
  const origin = `${isTls ? 'https' : 'http'}://localhost:${port}`
  const program = isTls ? ['server/start/start.mjs', '--tls'] : ['dist/server/main.js']
  const address = isTls ? {} : { PUBLIC_ORIGIN: origin }
  let server: ChildProcess | undefined
  let log = ''

  async function start() {
    const logStart = log.length
    server = spawn(process.execPath, ['--enable-source-maps', ...program], {
      cwd: folder,
      env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, ...address, ...environment },
    })
    server.stdout?.on('data', chunk => (log += String(chunk)))
    server.stderr?.on('data', chunk => (log += String(chunk)))
    // Another program's server may answer at this port: only the own one counts.
    const isReady = () => log.includes('The portal is ready at', logStart)
    const answers = async () => (isReady() ? isHealthy(origin) : undefined)
    await until(`the server to answer at ${origin}`, answers, { giveUp: whyStopped })
  }

  /** Undefined while the server runs. */
  function whyStopped(): string | undefined {
    const ending = server?.signalCode ?? server?.exitCode ?? undefined
    return ending === undefined ? undefined : `the server ended with ${ending}:\n${log}`
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM') {
    const running = server
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const exited = new Promise(resolve => running.once('exit', resolve))
    running.kill(signal)
    await exited
  }

  async function close(signal?: NodeJS.Signals) {
    await stop(signal)
    rmSync(dataDir, { recursive: true, force: true })
  }

  try {
    await start()
  } catch (error) {
    await close('SIGKILL')
    throw error
  }
  return {
    ...joinPortal({ origin, dataDir, whyStopped }),
    databaseUrl: environment['DATABASE_URL'],
    log: () => log,
    stop,
    start,
    close: () => close(),
  }
}

type RunningPortal = {
  origin: string
  dataDir: string
  /** Undefined while the server runs, or when this process does not know. */
  whyStopped?: (() => string | undefined) | undefined
}

/** Connects to a running portal, which another process may have started. */
export function joinPortal({ origin, dataDir, whyStopped }: RunningPortal): OpenPortal {
  const outbox = join(dataDir, 'outbox')
  /** By file name: the server never changes a message that it has written. */
  const messagesRead = new Map<string, Message>()
  /** The number of codes that each contact had at the last `codeFor`, because a code works once. */
  const codesRead = new Map<string, number>()

  function messages(): Message[] {
    if (!existsSync(outbox)) return []
    return readdirSync(outbox)
      .filter(name => name.endsWith('.json'))
      .sort()
      .map(readMessage)
  }

  function readMessage(name: string): Message {
    const message =
      messagesRead.get(name) ?? (JSON.parse(readFileSync(join(outbox, name), 'utf8')) as Message) // as the server writes it
    messagesRead.set(name, message)
    return message
  }

  return {
    origin,
    dataDir,
    messages,
    codeFor: contact =>
      until(
        `a code for ${contact}`,
        async () => {
          const codes = messages().filter(each => each.to === contact && each.code)
          if (codes.length <= (codesRead.get(contact) ?? 0)) return undefined
          codesRead.set(contact, codes.length)
          return codes.at(-1)?.code
        },
        { giveUp: whyStopped },
      ),
  }
}

/**
 * Calls `ask` until it returns a value, with a pause of 50 ms between two calls. Four minutes are for a busy machine, not for
 * the product.
 *
 * @throws after four minutes, also when `ask` never answers; when `giveUp` returns a reason; when `ask` throws.
 */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
  { giveUp = () => undefined }: { giveUp?: (() => string | undefined) | undefined } = {},
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited four minutes for ${what}`)), 240_000)
  })
  try {
    for (;;) {
      const reason = giveUp()
      if (reason !== undefined) throw new Error(`Waited for ${what}, but ${reason}`)
      const value = await Promise.race([ask(), late])
      if (value !== undefined) return value
      await Promise.race([new Promise(resolve => setTimeout(resolve, 50)), late])
    }
  } finally {
    clearTimeout(timer)
  }
}

async function isHealthy(origin: string): Promise<true | undefined> {
  const ask = origin.startsWith('https:') ? https.get : http.get
  const request = ask(`${origin}/health`, { rejectUnauthorized: false })
  try {
    const [answer]: IncomingMessage[] = await once(request, 'response')
    answer?.resume()
    return answer?.statusCode === 200 ? true : undefined
  } catch {
    return undefined // not listening yet
  }
}
