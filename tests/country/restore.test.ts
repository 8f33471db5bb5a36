import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { openWatchedPage } from '#support/browsers/watched-page.ts'
import { openLargeOffice } from '#support/data/paying-applicants.ts'
import { hasEnded } from '#support/servers/child-process.ts'
import { freePort } from '#support/servers/free-port.ts'
import { until } from '#support/servers/portal.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { runOfficeCommand } from '#support/servers/run-office-command.ts'
import { type DebianPostgresql, createDebianPostgresql, tablesOwner } from './debian-postgresql.ts'
import { createDemand, type Demand } from './demand.ts'
import { findFaults } from './oracle.ts'
import { type Payers, startPayers } from './payers.ts'
import { createProcess, root, type ServerProcess } from './processes.ts'
import { openSmsGateway, smsBody, type SmsGateway } from './sms-gateway.ts'
import { deployCommands } from './deploy-commands.ts'

// Both restores and the drill of docs/deploy.md, with the commands of its code blocks. The tests are one story, and
// each needs those before it: a backup, work after it, damage, a restore of the dump, a restore to a moment between
// work and damage, and the drill.

const backupFolderInDocs = '/var/backups/passport-portal'
const phone = '699000001'
const noticeKey = 'notice-of-the-backup'

let postgresql: DebianPostgresql
let gateway: SmsGateway
let payers: Payers
let portal: ServerProcess
let folder: string
/** As in production: the key is in no table, so a copy of the database without the key cannot be read (D71). */
const keys = { DATA_KEY: randomBytes(32).toString('hex') }
/** The settings of the portal, which reads them at each start. */
const environment: Record<string, string> = {}
let origin: string
let browser: Browser
let page: Page
let applicant: Applicant
let formUrl: string
let beforeBackup: Demand
let afterBackup: Demand
let atBackup: Counts
/** The time just before the damage, to which the second restore goes. */
let momentBeforeDamage: string

beforeAll(async () => {
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
  folder = mkdtempSync(join(tmpdir(), 'restored-portal-'))
  postgresql = await createDebianPostgresql()
  postgresql.run(deployCommands('make a base\nbackup each week.'))
  postgresql.configure(
    deployCommands('mkdir -p $BACKUP/wal\n```', { [backupFolderInDocs]: postgresql.backup }),
  )
  await postgresql.start()
  postgresql.run(`createuser ${tablesOwner}; createdb --owner=${tablesOwner} portal; createuser portal`)
  await officeCommand('portal', ...grant)
  gateway = await openSmsGateway()
  portal = await createProcess(environment, {})
  origin = `http://localhost:${portal.port}`
  payers = await startPayers(origin)
  Object.assign(environment, payers.environment, keys, {
    DATABASE_URL: asPortal('portal'),
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    PUBLIC_ORIGIN: origin,
    SMS_URL: gateway.url,
    SMS_BODY: smsBody,
    PAYMENT_METHODS: 'WHITELIST', // no MOCK; the account of a provider enables every other method
  })
  await portal.start()
  await onDatabase('portal', openLargeOffice)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await portal?.stop('SIGKILL')
  await payers?.close()
  gateway?.close()
  await postgresql?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

describe('the restores of docs/deploy.md', () => {
  it('begin with a dump, a base backup and archived WAL, after which applicants continue to work', async () => {
    beforeBackup = await journeys(0, 6)
    await openForm()
    await typeAnswer('Ancienne')
    await storeWaitingNotice()
    postgresql.run(baseBackup())
    const dump = postgresql.run(deployCommands('starts it each night.')).trim()
    expect(existsSync(dump)).toBe(true)
    // The number of an application is readable; the answer and the contact of its applicant are not (D71).
    expect(linesOf(dump, 'PP-20')).toBeGreaterThan(6)
    expect(linesOf(dump, `Ancienne|${phone}`)).toBe(0)
    atBackup = await onDatabase('portal', countAll)
    expect(atBackup).toMatchObject({ paid: 6, booked: 6, open: 1 })

    gateway.hang(false)
    await until('the notice', async () => (gateway.accepted.get(noticeKey) ? true : undefined))
    afterBackup = await journeys(100, 3)
    await typeAnswer('Nouvelle')
    momentBeforeDamage = await onDatabase('portal', async db => {
      // A second before and after it, so that the moment is between the last write and the damage.
      await pause(1_000)
      const { rows } = await sql<{ now: string }>`select now()::text as now`.execute(db)
      await pause(1_000)
      return rows[0]?.now ?? ''
    })
    await onDatabase('portal', db => sql`truncate application cascade`.execute(db))
  })

  it('bring applicants, payments and bookings of the dump back, use no number twice, offer the newer answers and send no waiting message', async () => {
    await portal.stop()
    // On a new machine PostgreSQL does not have the role of the servers.
    postgresql.run("psql -qc 'drop owned by portal'; dropuser portal")
    const shown = postgresql.run(deployCommands('**From a dump**'))
    expect(shown).toMatch(/newest change/)
    postgresql.run('createuser portal')
    environment['DATABASE_URL'] = asPortal('restored')
    const sent = sumOf(gateway.accepted)
    const said = await beforeThePortalStarts('restored')
    expect(said).toContain('All jobs are held')
    expect(said).toMatch(/sms +test +1/)
    await portal.start()
    expect(await onDatabase('restored', countAll)).toEqual(atBackup)
    expect((await faultsOf('restored', beforeBackup)).filter(([, count]) => count > 0)).toEqual([])

    await expectChoice(['Ancienne', 'Nouvelle'], 'Nouvelle')
    await pause(8_000) // longer than the intervals of the outbox and of the payments
    expect({ sent: sumOf(gateway.accepted) - sent, notice: gateway.accepted.get(noticeKey) }).toEqual({
      sent: 1, // the code of the sign-in above
      notice: 1,
    })

    const afterRestore = await journeys(200, 2)
    const numbers = [beforeBackup, afterBackup, afterRestore].flatMap(({ promises }) =>
      promises.flatMap(({ applicationNumber = '', paidOrder = '' }) => [applicationNumber, paidOrder]),
    )
    expect(new Set(numbers).size).toBe(2 * 11)
    await makeLostPaymentsDue()
    expect((await officeCommand('restored', 'release-jobs', '--without-messages')).output).toContain(
      'released',
    )
    await pause(4_000) // longer than the interval of the outbox
    expect(gateway.accepted.get(noticeKey)).toBe(1)
  })

  it('bring the moment before the damage back from the archived WAL', async () => {
    await typeAnswer('Troisième')
    await portal.stop()
    await postgresql.stop()
    postgresql.run(
      deployCommands('**To a moment, from the archived WAL.**', {
        '2026-12-01 10:30:00+00': momentBeforeDamage,
      }),
    )
    await postgresql.start()
    await until('the end of the recovery', async () =>
      postgresql.run(deployCommands('prints `f`:')).trim() === 'f' ? true : undefined,
    )
    postgresql.run(deployCommands('Remove the settings of the recovery'))
    await postgresql.stop()
    await postgresql.start()
    environment['DATABASE_URL'] = asPortal('portal')
    await beforeThePortalStarts('portal')
    await portal.start()
    expect(await onDatabase('portal', countAll)).toMatchObject({ paid: 9, booked: 9, open: 1 })
    for (const demand of [beforeBackup, afterBackup])
      expect((await faultsOf('portal', demand)).filter(([, count]) => count > 0)).toEqual([])
    await expectChoice(['Nouvelle', 'Troisième'], 'Troisième')
    await journeys(300, 1)
    expect(gateway.accepted.get(noticeKey)).toBe(1)
    await expectAllArchived()
  })

  it('send nothing in a drill (D107)', async () => {
    const port = await freePort()
    const drill = join(folder, 'drill')
    const commands = deployCommands('after a restore from the WAL the database is', {
      'DATA_KEY=…': `DATA_KEY=${keys.DATA_KEY}`,
      'postgres://…/restored': `'${postgresql.url('portal')}'`,
      '/tmp/drill': drill,
      'PORT=9000': `PORT=${port}`,
    })
    const sent = sumOf(gateway.accepted)
    const child = spawn('sh', ['-e', '-c', commands.replace('npm start', 'exec npm start')], {
      cwd: root,
      detached: true,
    })
    let log = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (log += text.toString()))
    try {
      await until('the drill', async () => log.includes('The portal is ready') || undefined, {
        giveUp: () => (hasEnded(child) ? log : undefined),
      })
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/version`)
      expect(answer.status).toBe(200)
      await pause(8_000) // longer than the intervals of the outbox and of the payments
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    }
    expect(log).toContain('JOBS is off')
    expect(existsSync(join(drill, 'outbox'))).toBe(false)
    expect(sumOf(gateway.accepted)).toBe(sent)
  })
})

type Database = Awaited<ReturnType<typeof connectDatabase>>['db']

async function onDatabase<Value>(name: string, work: (db: Database) => Promise<Value>): Promise<Value> {
  const database = await connectDatabase({ databaseUrl: postgresql.url(name), dataDir: '' })
  try {
    return await work(database.db)
  } finally {
    await database.close()
  }
}

/** The archive continues after a restore. Otherwise the next restore lacks the time since, and the WAL fills the disk. */
async function expectAllArchived(): Promise<void> {
  const waiting = `psql -Atc "select count(*) from pg_ls_archive_statusdir() where name like '%.ready'"`
  postgresql.run("psql -Atc 'select pg_switch_wal()'")
  await until('the archive to have all WAL', async () =>
    postgresql.run(waiting).trim() === '0' ? true : undefined,
  )
}

/** How many lines of the SQL of a dump match. */
function linesOf(dump: string, pattern: string): number {
  return Number(postgresql.run(`pg_restore --file=- ${dump} | grep -cE '${pattern}' || true`))
}

/** docs/deploy.md has the command for the base backup in two places; this is the one of "Back up". */
function baseBackup(): string {
  return deployCommands('no other one before these.')
}

/** Takes new applicants from the sign-in to the receipt. Fails when one of them does not reach it. */
async function journeys(firstIndex: number, count: number): Promise<Demand> {
  const demand = createDemand({ origin, gateway }, { thinkMs: 50, firstIndex })
  await demand.arrive({ journeys: count, seconds: 1 })
  await demand.complete({ timeoutSeconds: 180 })
  expect(demand.errors).toEqual([])
  return demand
}

type Counts = { paid: number; booked: number; open: number; applicants: number }

async function countAll(db: Database): Promise<Counts> {
  const { rows } = await sql<Counts>`select
    (select count(*)::integer from payment where status = 'SUCCESS') as paid,
    (select count(*)::integer from appointment where state = 'CONFIRMED') as booked,
    (select count(*)::integer from application where state = 'NEW') as open,
    (select count(*)::integer from applicant) as applicants`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('No counts')
  return counts
}

async function faultsOf(database: string, { promises }: Demand): Promise<[string, number][]> {
  const orders = promises.flatMap(({ paidOrder }) => paidOrder ?? [])
  const { findings } = await onDatabase(database, db =>
    findFaults(db, { promises, paidOrders: orders, env: keys }),
  )
  return Object.entries(findings)
}

async function openForm(): Promise<void> {
  ;({ page } = await openWatchedPage(browser, { origin }))
  applicant = createApplicant(page, { codeFor }, 'fr')
  await applicant.chooseLanguage()
  await applicant.signInByPhone(phone)
  await applicant.startApplication()
  formUrl = page.url()
}

/** Each code works once. */
function codeFor(contact: string): Promise<string> {
  const digits = contact.replace(/\D/g, '')
  return until(`a code for ${contact}`, async () => {
    const code = gateway.codes.get(digits)
    gateway.codes.delete(digits)
    return code
  })
}

async function typeAnswer(text: string): Promise<void> {
  await applicant.named('travelDestination').fill(text)
  await applicant.named('travelDestination').blur()
  const database = new URL(environment['DATABASE_URL'] ?? '').pathname.slice(1)
  await until(`"${text}" on the server`, () =>
    onDatabase(database, async db => {
      const services = await servicesOn(db, { env: keys })
      const rows = await db.selectFrom('application').select(['id', 'data']).execute()
      return rows.some(row => decryptForm(services, row).travelDestination === text) ? true : undefined
    }),
  )
}

/** The phone offers both answers; the applicant takes one, and the server gets it. */
async function expectChoice(answers: readonly string[], chosen: string): Promise<void> {
  const { t, button, named } = applicant
  await page.goto('/')
  await applicant.signInByPhone(phone)
  await page.goto(formUrl)
  await page.getByRole('heading', { name: t('choice.restoredHeading') }).waitFor()
  const options = page.getByRole('group', { name: t('field.travelDestination') })
  for (const answer of answers) expect(await options.getByLabel(answer).count()).toBe(1)
  await options.getByLabel(chosen).check()
  await button('choice.done').click()
  await page.getByText(t('form.onServer'), { exact: false }).waitFor()
  expect(await named('travelDestination').inputValue()).toBe(chosen)
}

/** A notice that the gateway has not accepted at the backup, and accepts afterwards: the gateway hangs from now on. */
async function storeWaitingNotice(): Promise<void> {
  gateway.hang(true)
  await onDatabase('portal', async plain => {
    const { db } = await servicesOn(plain, { env: keys })
    await enqueue(db, {
      key: noticeKey,
      channel: 'sms',
      kind: 'test',
      recipient: `237${phone}`,
      message: { subject: '', text: 'Avis' },
    })
  })
}

/** The owner of the tables runs the migrations, and the servers connect as another role (D117). */
const grant = ['migrate', '--grant-to', 'portal']

async function beforeThePortalStarts(database: string): Promise<string> {
  const commands = deployCommands('**Before the portal starts.**', {
    'office -- migrate': `office -- ${grant.join(' ')}`,
  })
  const outputs = []
  for (const command of commands.trim().split('\n')) {
    const words = command.replace('npm run office -- ', '').split(' ')
    outputs.push((await officeCommand(database, ...words)).output)
  }
  return outputs.join('\n')
}

async function officeCommand(database: string, ...words: string[]) {
  const url = words[0] === 'migrate' ? asRole(database, tablesOwner) : asPortal(database)
  const ran = await runOfficeCommand({ ...environment, DATABASE_URL: url }, folder, ...words)
  expect(ran).toMatchObject({ code: 0, errorOutput: '' })
  return ran
}

function asPortal(database: string): string {
  return asRole(database, 'portal')
}

function asRole(database: string, role: string): string {
  const url = new URL(postgresql.url(database))
  url.username = role
  return url.href
}

/** Only the provider's statement has the payments after the backup. Each becomes due back, as its application is lost. */
async function makeLostPaymentsDue(): Promise<void> {
  const orders = afterBackup.promises.map(({ paidOrder = '' }) => paidOrder)
  const lines = payers.paidOrders().map(order => `${order},110000,XAF,MOBILE`)
  writeFileSync(join(folder, 'statement.csv'), ['order,amount,currency,method', ...lines, ''].join('\n'))
  const { output } = await officeCommand('restored', 'statement', 'statement.csv')
  const unknown = output.split('\n').filter(line => /unknown/.test(line))
  expect(unknown.map(line => line.split(' ')[0]).toSorted(compare)).toEqual(orders.toSorted(compare))
  const refunds = orders.flatMap(order => ['--refund', order])
  await officeCommand('restored', 'statement', 'statement.csv', ...refunds, '--reason', 'Restore')
  expect((await officeCommand('restored', 'refunds')).output).toContain('3 due back')
}

function compare(one = '', other = ''): number {
  return one < other ? -1 : 1
}

function sumOf(accepted: SmsGateway['accepted']): number {
  return [...accepted.values()].reduce((sum, count) => sum + count, 0)
}
