import { execFile, execFileSync } from 'node:child_process'
import { rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { connectDatabase, type OpenDatabase } from '#server/database/connect.ts'
import { openLargeOffice } from '#support/data/paying-applicants.ts'
import { type Postgresql, startPostgresql } from '#support/servers/postgresql.ts'
import { createDatabaseLink, type DatabaseLink } from './database-link.ts'
import { startNginx, type Nginx } from './nginx.ts'
import { type Payers, startPayers } from './payers.ts'
import { createProcess, root, type ServerProcess } from './processes.ts'
import { openSmsGateway, smsBody, type SmsGateway } from './sms-gateway.ts'

/** What docs/deploy.md describes: PostgreSQL, three processes and nginx, with the gateways outside. */
export type Cluster = {
  /** The address of nginx. */
  origin: string
  /** The folder of all processes without a `DATA_DIR` of their own, in which e-mails are files. */
  dataDir: string
  processes: readonly Member[]
  postgresql: Postgresql
  db: OpenDatabase['db']
  gateway: SmsGateway
  payers: Payers
  close(): Promise<void>
}

/** One process and its own network link to PostgreSQL. */
export type Member = ServerProcess & { link: DatabaseLink }

export type ClusterSettings = {
  processCount?: number
  /** Variables of all processes. */
  environment?: Record<string, string>
  /** Variables of one process only, by its index. */
  environmentOf?: (index: number) => Record<string, string>
  /** A folder for the data of PostgreSQL; a temporary one by default. */
  postgresqlParent?: string
  /** The checkout with the build to run; this one by default. */
  folder?: string
}

/** The defaults of the server fit a demo: a country has a proxy, more codes a day and no mock payment. */
const countrySettings = {
  LOG_LEVEL: 'warn',
  SMS_BUDGET_HOME: '10000000',
  // The clients of these tests refresh no token.
  TOKEN_LIFETIME_SECONDS: '3600',
  TRUSTED_PROXIES: 'loopback',
  PAYMENT_METHODS: 'WHITELIST',
  FREED_PLACE_SECONDS: '0',
}

export async function openCluster({
  processCount = 3,
  environment: own = {},
  environmentOf = () => ({}),
  postgresqlParent = tmpdir(),
  folder = root,
}: ClusterSettings = {}): Promise<Cluster> {
  build()
  const closers: (() => Promise<void> | void)[] = []
  try {
    const postgresql = await startPostgresql({ durable: true, parent: postgresqlParent })
    closers.push(() => postgresql.stop())
    await createDatabase(postgresql)
    const databaseUrl = postgresql.url('country')
    await migrateAsOwner(databaseUrl, folder)
    const gateway = await openSmsGateway()
    closers.push(() => gateway.close())
    const dataDir = mkdtempSync(join(tmpdir(), 'country-'))
    closers.push(() => rmSync(dataDir, { recursive: true, force: true }))

    const environment: Record<string, string> = {
      ...countrySettings,
      ...own,
      DATA_DIR: dataDir,
      SMS_URL: gateway.url,
      SMS_BODY: smsBody,
    }
    const processes: Member[] = []
    for (let index = 0; index < processCount; index += 1) {
      const link = await createDatabaseLink(asServingRole(databaseUrl))
      closers.push(() => link.close())
      // The public address is known only when nginx has a port, so it is added to the same object below.
      const created = await createProcess(environment, {
        ...environmentOf(index),
        DATABASE_URL: link.databaseUrl,
      })
      closers.push(() => created.stop('SIGKILL'))
      processes.push({ ...created, link })
    }
    const nginx: Nginx = await startNginx(processes.map(({ port }) => port))
    closers.push(() => nginx.close())
    const payers = await startPayers(nginx.origin)
    closers.push(() => payers.close())
    Object.assign(environment, payers.environment, { PUBLIC_ORIGIN: nginx.origin })
    // The first process creates the keys; the others find them.
    for (const each of processes) await each.start(folder)
    const database = await connectDatabase({ databaseUrl, dataDir: '' })
    closers.push(() => database.close())
    await openLargeOffice(database.db)
    return {
      origin: nginx.origin,
      dataDir,
      processes,
      postgresql,
      db: database.db,
      gateway,
      payers,
      close: () => closeAll(closers),
    }
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

async function closeAll(closers: (() => Promise<void> | void)[]): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close()
}

async function createDatabase(postgresql: Postgresql): Promise<void> {
  const client = new Client({ connectionString: postgresql.url('postgres') })
  await client.connect()
  await client.query('create database country')
  await client.query(`create role ${servingRole} login`)
  await client.end()
}

/** The processes connect as this role, which may not change tables (D117). */
const servingRole = 'portal'

/**
 * Runs the migrations of the release in this folder, and lets the processes use the tables. It does not block this
 * process, in which the connections of the cluster run.
 */
export async function migrateAsOwner(databaseUrl: string, folder: string): Promise<void> {
  const words = ['server/start/start.mjs', '--office', 'migrate', '--grant-to', servingRole]
  await promisify(execFile)(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
}

function asServingRole(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.username = servingRole
  return url.href
}

/** Reuses the build of an earlier run if the sources are the same. */
function build(): void {
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
}
