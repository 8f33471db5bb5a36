import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { hasEnded, stopChild } from '#support/servers/child-process.ts'
import { until } from '#support/servers/portal.ts'
import { findPostgresqlPrograms } from './postgresql-programs.ts'
import { root } from './processes.ts'

/**
 * Debian's PostgreSQL as docs/deploy.md describes it: its own user, a data folder and a folder of backups. It archives its WAL
 * only after the caller has set that with `configure`.
 */
export type DebianPostgresql = {
  /** The folder of dumps, base backups and WAL. */
  backup: string
  url(database: string): string
  /**
   * Runs shell commands as the user of PostgreSQL in the folder of the release. Returns what they print.
   *
   * @throws when one of them fails
   */
  run(commands: string): string
  /** Appends lines to postgresql.conf. */
  configure(lines: string): void
  start(): Promise<void>
  stop(): Promise<void>
  close(): Promise<void>
}

/** The role that owns the tables, as in docs/deploy.md: not the superuser `postgres`. */
export const tablesOwner = 'portal_owner'

/** The system user of PostgreSQL and of the commands. PostgreSQL refuses to run as root: then this user is `nobody`. */
const systemUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/**
 * Starts the server, and ends it when the other end of standard input is closed: so it ends with this process in every
 * case. `$$` is the process id of this server, which replaces the shell. So a later server in this folder is not ended.
 */
const supervise = ['exec 3<&0', '(cat <&3 >/dev/null; kill -QUIT $$) &', 'exec "$@" </dev/null'].join('\n')

/** @throws when Debian's PostgreSQL cannot be had on this machine. */
export async function createDebianPostgresql(): Promise<DebianPostgresql> {
  const programs = findPostgresqlPrograms()
  if (programs === undefined) throw new Error('PostgreSQL is missing. Install it: apt-get install postgresql')
  const home = mkdtempSync(join(tmpdir(), 'restore-'))
  if (systemUser.uid !== undefined) chownSync(home, systemUser.uid, systemUser.gid)
  const data = join(home, 'data')
  const backup = join(home, 'backup')
  let server: ChildProcess | undefined

  const environment = {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    PGHOST: home,
    PGUSER: 'postgres',
    PGDATABASE: 'portal',
    BACKUP: backup,
    DATA: data,
    OWNER: tablesOwner,
  }
  const run = (commands: string) =>
    execFileSync('sh', ['-e', '-c', commands], {
      ...systemUser,
      cwd: root,
      env: environment,
      encoding: 'utf8',
    })
  const url = (database: string) =>
    `postgres://postgres@localhost/${database}?host=${encodeURIComponent(home)}`

  async function start(): Promise<void> {
    server = spawn('sh', ['-c', supervise, 'sh', join(programs ?? '', 'postgres'), '-D', data], {
      ...systemUser,
      cwd: home,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let log = ''
    server.stderr?.on('data', (text: Buffer) => (log += text.toString()))
    await until('PostgreSQL', () => accepts(url('postgres')), {
      giveUp: () => (server && !hasEnded(server) ? undefined : `it ended:\n${log}`),
    })
  }

  async function stop(): Promise<void> {
    if (server) await stopChild(server, 'SIGINT')
  }

  run(`initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C -D ${data}`)
  const configure = (lines: string) => appendFileSync(join(data, 'postgresql.conf'), `${lines}\n`)
  configure(`listen_addresses = ''\nunix_socket_directories = '${home}'`)
  return {
    backup,
    url,
    run,
    configure,
    start,
    stop,
    async close() {
      await stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function accepts(connectionString: string): Promise<true | undefined> {
  const client = new Client({ connectionString })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return undefined // it is still starting, or replays its WAL
  }
}
