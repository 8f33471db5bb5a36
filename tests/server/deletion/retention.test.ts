import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { keptDays, type KeptKind, keptWithoutEnd, type KeptWithoutEnd } from '#contract/retention.ts'
import type { Schema } from '#server/database/schema.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { deleteExpiredRows } from '#server/features/deletion/delete-expired-rows.ts'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { eraseClosedApplications } from '#server/features/deletion/erase-applications.ts'
import { bodyOf, type SignedInDirectly, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server?.close())

/** All jobs that delete, in the order of their start. */
async function runJobs(): Promise<void> {
  const { services } = server
  await deleteDue(services)
  await deleteExpiredRows(services.db)
  await eraseClosedApplications(services)
  await eraseAccounts(services)
}

type Example = {
  /** SQL: stores a row; `$applicant`, `$application` and `$payment` stand for the ids. */
  store: string
  /** SQL: makes the row of the example as old as `age`, an interval. */
  age: (age: string) => string
  /** SQL: whether the row, or what expires of it, is still there. */
  isKept: string
}

const application = (state: string, column: string): Example => ({
  store: `update application set state = '${state}', data = '{"surname": "NGONO"}' where id = '$application'`,
  age: age => `update application set ${column} = now() - ${age} where id = '$application'`,
  isKept: `select from application where id = '$application'`,
})

/**
 * One example of each kind of row, though a kind may have rows in several tables. Other tests have the kinds that are
 * deleted after three warnings (F12), and the backups.
 */
const examples: Record<Exclude<KeptKind, 'unpaid' | 'neverEnrolled' | 'backups'>, Example> = {
  codes: {
    store: `with asked as (insert into challenge (kind, value, browser_hash) values ('phone', '237600000000', 'b') returning id)
      insert into one_time_code (challenge_id, code_hash, expires_at) select id, 'h', now() from asked`,
    age: age => `update one_time_code set sent_at = now() - ${age}`,
    isKept: `select from one_time_code`,
  },
  limits: {
    store: `insert into usage_count (key, window_start, count) values ('k', now(), 1)`,
    age: age => `update usage_count set window_start = now() - ${age} where key = 'k'`,
    isKept: `select from usage_count where key = 'k'`,
  },
  dormantTries: {
    store: `insert into usage_count (key, window_start, count) values ('dormant k', now(), 1)`,
    age: age => `update usage_count set window_start = now() - ${age} where key = 'dormant k'`,
    isKept: `select from usage_count where key = 'dormant k'`,
  },
  cardForms: {
    store: `insert into card_page (ticket_hash, payment_id, form, expires_at) values ('t', '$payment', '{}', now())`,
    age: age => `update card_page set expires_at = now() - ${age}`,
    isKept: `select from card_page`,
  },
  callAnswers: {
    store: `insert into idempotency (scope, key, fingerprint) values ('s', 'k', 'f')`,
    age: age => `update idempotency set created_at = now() - ${age}`,
    isKept: `select from idempotency where scope = 's'`,
  },
  sessions: {
    store: `insert into session (applicant_id, msisdn) values ('$applicant', 'old')`,
    age: age => `update session set created_at = now() - ${age} where msisdn = 'old'`,
    isKept: `select from session where msisdn = 'old'`,
  },
  contactChanges: {
    store: `insert into contact_change (applicant_id, kind, value_after, undo_hash) values ('$applicant', 'phone', 'v', 'u')`,
    age: age => `update contact_change set changed_at = now() - ${age}`,
    isKept: `select from contact_change`,
  },
  messages: {
    store: `insert into outbox (key, channel, kind, recipient, message) values ('k', 'sms', 'watch', '237600000000', '{}')`,
    age: age => `update outbox set created_at = now() - ${age}, sent_at = now() - ${age} where key = 'k'`,
    isKept: `select from outbox where key = 'k'`,
  },
  payerPhones: {
    store: `update payment set phone = '237600000000' where id = '$payment'`,
    age: age => `update payment set created_at = now() - ${age}`,
    isKept: `select from payment where phone <> ''`,
  },
  browsers: {
    store: `insert into challenge (kind, value, browser_hash, proven_at) values ('phone', '237600000000', 'b', now())`,
    age: age => `update challenge set proven_at = now() - ${age}`,
    isKept: `select from challenge`,
  },
  enrolled: application('SENT_TO_CM', 'updated_at'),
  deletedApplications: application('DELETED', 'updated_at'),
  accounts: {
    store: `delete from application where id = '$application'`,
    age: age => `update applicant set signed_in_at = now() - ${age} where id = '$applicant'`,
    isKept: `select from applicant where id = '$applicant'`,
  },
  deletedAccounts: {
    store: `select`,
    age: age =>
      `update applicant set deletion_at = now() + interval '${keptDays.deletedAccounts} days' - ${age}
        where id = '$applicant'`,
    isKept: `select from applicant where id = '$applicant'`,
  },
  deletedAccountIds: {
    store: `insert into past_applicant (id_hash) values ('h')`,
    age: age => `update past_applicant set deleted_at = now() - ${age} where id_hash = 'h'`,
    isKept: `select from past_applicant where id_hash = 'h'`,
  },
  // Triggers refuse to change an event, so each age is a new event.
  securityEvents: {
    store: `select`,
    age: age => `insert into security_event (kind, subject, at) values ('test', '', now() - ${age})`,
    isKept: `select from security_event where id = (select last_value from security_event_id_seq)`,
  },
  orders: {
    store: `insert into past_order (order_id, method, status, amount, currency, created_at, refund_due)
      values ('O', 'MOCK', 'SUCCESS', 1, 'XAF', now(), false)`,
    age: age => `update past_order set created_at = now() - ${age}`,
    isKept: `select from past_order where order_id = 'O'`,
  },
}

/** SQL: stores a row of each kind that no job deletes, 50 years old, and finds it. */
const lasting: Record<KeptWithoutEnd, { store: string; isKept: string }> = {
  oldSystem: {
    store: `insert into whitelist (kind, value, used_at) values ('phone', '237600000000', now() - interval '50 years')`,
    isKept: `select from whitelist`,
  },
  operatorRecords: {
    store: `insert into operator_record (at, operator, machine_user, command, about, reason, dry_run)
      values (now() - interval '50 years', 'o', 'm', 'c', '{}', 'r', false)`,
    isKept: `select from operator_record`,
  },
  unknownPayments: {
    store: `insert into unknown_payment (order_id, method, amount, currency, provider_reference, noted_at, refunded_at)
      values ('U', 'MOBILE', 1, 'XAF', 'r', now() - interval '50 years', now() - interval '50 years')`,
    isKept: `select from unknown_payment`,
  },
}

const ofApplication: KeptKind[] = ['unpaid', 'neverEnrolled', 'enrolled', 'deletedApplications']
const everybody = 'the same for everybody'
/** The kinds of each table's rows, or why its rows need no period. */
const keptTables: Record<keyof Schema, (KeptKind | KeptWithoutEnd)[] | string> = {
  secret: 'keys of the server',
  encryption: 'since when the tables are encrypted',
  server_epoch: 'a random word of the database',
  job: 'one row for each job of the server',
  job_hold: 'one row, until the jobs are released after a restore',
  city: everybody,
  office: everybody,
  opening: everybody,
  closed_day: everybody,
  slot: everybody,
  // The seats of an office are the same for everybody; one that was taken has the id of its last holder.
  place: ofApplication,
  applicant: ['accounts', 'deletedAccounts'],
  contact: ['accounts', 'deletedAccounts'],
  contact_change: ['contactChanges'],
  challenge: ['codes', 'browsers'],
  one_time_code: ['codes'],
  receipt_ticket: ['codes'],
  usage_count: ['limits', 'dormantTries'],
  used_captcha: ['limits'],
  session: ['sessions'],
  refresh_token: ['sessions'],
  security_event: ['securityEvents'],
  application: ofApplication,
  appointment: ofApplication,
  watch: ofApplication,
  payment: [...ofApplication, 'payerPhones'],
  payment_event: ofApplication,
  card_page: ['cardForms'],
  past_applicant: ['deletedAccountIds'],
  past_order: ['orders'],
  outbox: ['messages'],
  idempotency: ['callAnswers'],
  whitelist: ['oldSystem'],
  operator_record: ['operatorRecords'],
  unknown_payment: ['unknownPayments'],
}

/** SQL: stores a place that the applicant of the example has given up. */
const freedPlace = `
  with town as (insert into city (id, country_id, name_fr, name_en) values (1, 237, 'c', 'c') returning id),
    branch as (insert into office (id, city_id, country_id, name_fr, name_en, time_zone)
      select 1, id, 237, 'o', 'o', 'Africa/Douala' from town returning id),
    held as (insert into appointment (application_id, office_id, starts_at, state)
      select '$application', id, '2026-07-01T08:00:00', 'EXPIRED' from branch returning office_id, starts_at),
    hour as (insert into slot (office_id, starts_at) select office_id, starts_at from held returning id)
  insert into place (slot_id, seat, applicant_id) select id, 1, '$applicant' from hour`
const heldPlace = `select from place where applicant_id is not null`

async function openApplicant() {
  server = await startTestServer({ offices: 'none' })
  const applicant: SignedInDirectly = await signInDirectly(server, { phone: '237671234567' })
  const { id } = bodyOf(await applicant.call('createApplication')).data
  const payment = await server.services.db
    .insertInto('payment')
    .values({
      application_id: id,
      order_id: 'P',
      method: 'MOCK',
      status: 'ERROR',
      amount: 1,
      currency: 'XAF',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const ids: [string, string][] = [
    ['$application', id],
    ['$applicant', applicant.applicantId],
    ['$payment', payment.id],
  ]
  return async (statement: string) => {
    const text = ids.reduce((left, [name, value]) => left.replaceAll(name, value), statement)
    return (await sql.raw(text).execute(server.services.db)).rows.length
  }
}

describe('the period of backups (D113)', () => {
  it('is the age of the dumps that the script for backups keeps', () => {
    const script = readFileSync('docs/packaging/backup.sh', 'utf8')
    expect(script).toContain(`keep_days=\${KEEP_DAYS:-${keptDays.backups}}`)
  })

  it('is not exceeded by any dump before the next nightly run, also when a run is late or early', () => {
    // A run at the usual time, and runs that are six hours early or late.
    for (const run of [-6, 0, 6]) {
      const ages = Array.from({ length: 20 }, (_, index) => (index + 1) * 24 + run)
      const kept = keepDumps(ages)
      expect(kept).toEqual(ages.slice(0, keptDays.backups - 2))
      expect(Math.max(...kept) + 24).toBeLessThanOrEqual(keptDays.backups * 24)
    }
    expect(keepDumps([1, 20, 50, 100], { KEEP_DAYS: '2' })).toEqual([1])
  })

  it.each(['0', '1', '08', '-3', 'all'])(
    'cannot be %s: the script takes only whole numbers from 2, without a zero in front',
    days => {
      expect(runBackup([], { KEEP_DAYS: days })).toMatchObject({ status: 1, ages: [] })
    },
  )

  it('is not applied after a dump of another database: the script says so, and deletes this dump and no older one (D113)', () => {
    const { status, ages, faults } = runBackup([400], {}, 'TABLE DATA public other portal')
    expect({ status, ages }).toEqual({ status: 1, ages: [400] })
    expect(faults).toContain('The dump of portal has no table of applications')
  })
})

/** Returns which of the dumps of these ages, in hours, are left after a run that has written another one. */
function keepDumps(hours: readonly number[], env: Record<string, string> = {}): number[] {
  const { status, ages } = runBackup(hours, env)
  expect({ status, newest: ages[0] }).toEqual({ status: 0, newest: 0 })
  return ages.slice(1)
}

/**
 * Runs the script with programs in place of those of PostgreSQL. `table`: the line of the table that `pg_restore --list`
 * prints. `ages`: of the dumps that are left, in hours.
 */
function runBackup(
  hours: readonly number[],
  env: Record<string, string>,
  table = 'TABLE DATA public application portal',
) {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'))
  try {
    const dump = 'for each; do case $each in --file=*) echo dump > "${each#--file=}";; esac; done'
    const list = `echo "1; 0 1 ${table}"`
    for (const [name, script] of [
      ['pg_dump', dump],
      ['pg_restore', list],
    ] as const)
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    // `find` compares with the clock of the machine, which has just dated this file.
    const nowSeconds = statSync(join(folder, 'pg_dump')).mtimeMs / 1_000
    for (const each of hours) {
      const file = join(folder, `portal-${each}.dump`)
      writeFileSync(file, '')
      utimesSync(file, nowSeconds, nowSeconds - each * 3_600)
    }
    const PATH = `${folder}:${process.env['PATH'] ?? ''}`
    const { status, stderr } = spawnSync('sh', ['docs/packaging/backup.sh', folder], {
      env: { ...env, PATH, PGDATABASE: 'portal' },
    })
    const left = readdirSync(folder).filter(name => name.endsWith('.dump'))
    const ages = left.map(name => Number(/^portal-(\d+)\.dump$/.exec(name)?.[1] ?? 0))
    return { status, ages: ages.toSorted((one, other) => one - other), faults: stderr.toString() }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the kinds of the contract (D113)', () => {
  it('cover every table of the database, except those with a reason', async () => {
    server = await startTestServer({ offices: 'none' })
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_name not like 'kysely%'`.execute(server.services.db)
    expect(Object.keys(keptTables).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
    const kinds = Object.values(keptTables).flatMap(each => (typeof each === 'string' ? [] : each))
    // Backups are files outside the database.
    const all = [...Object.keys(keptDays), ...keptWithoutEnd].filter(kind => kind !== 'backups')
    expect([...new Set<string>(kinds)].toSorted()).toEqual(all.toSorted())
  })

  it.each(keptWithoutEnd)('%s: no job deletes a row, however old it is', async kind => {
    const run = await openApplicant()
    await run(lasting[kind].store)
    await runJobs()
    expect(await run(lasting[kind].isKept)).toBe(1)
  })
})

describe('the periods of the contract (D113)', () => {
  it.each(Object.entries(examples))(
    '%s: the jobs delete what is older, and nothing younger',
    async (kind, example) => {
      const days = new Map<string, number>(Object.entries(keptDays)).get(kind) ?? 0
      const run = await openApplicant()
      await run(example.store)
      await run(example.age(`(interval '${days} days' - interval '1 hour')`))
      await runJobs()
      expect(await run(example.isKept), 'an hour before the end').toBe(1)
      await run(example.age(`(interval '${days} days' + interval '1 hour')`))
      await runJobs()
      expect(await run(example.isKept), 'an hour after the end').toBe(0)
    },
  )

  it('erase the id of the last holder of a freed place together with the application', async () => {
    const run = await openApplicant()
    await run(freedPlace)
    await run(
      `update application set state = 'SENT_TO_CM', updated_at = now() - interval '${keptDays.enrolled - 1} days'`,
    )
    await runJobs()
    expect(await run(heldPlace), 'a day before the end').toBe(1)
    await run(`update application set updated_at = now() - interval '${keptDays.enrolled + 1} days'`)
    await runJobs()
    expect(await run(`select from application`)).toBe(0)
    expect(await run(heldPlace), 'a day after the end').toBe(0)
    expect(await run(`select from place`)).toBe(1)
  })

  it('keep the number that paid while its money is due back', async () => {
    const run = await openApplicant()
    await run(
      `update payment set phone = '237600000000', refund_due = true, created_at = now() - interval '1 year'`,
    )
    await runJobs()
    expect(await run(`select from payment where phone <> ''`)).toBe(1)
  })

  it('leave an application with its order while a provider may still report this order', async () => {
    const run = await openApplicant()
    await run(`update application set state = 'FAILED', updated_at = now() - interval '2 years'`)
    await run(`update payment set ask_at = now()`)
    await runJobs()
    expect(await run(`select from application`)).toBe(1)
    await run(`update payment set ask_at = null`)
    await runJobs()
    expect(await run(`select from application`)).toBe(0)
    expect(await run(`select from past_order where order_id = 'P'`)).toBe(1)
  })
})
