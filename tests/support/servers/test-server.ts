import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { processLoadOf } from '#server/http/load-shedding.ts'
import { createApp } from '#server/start/app.ts'
import type { PoolLoad } from '#server/database/bounded-pool.ts'
import type { DatabaseSettings, OpenDatabase } from '#server/database/connect.ts'
import type { PaymentSettings } from '#server/config/payment-config.ts'
import { claimDue } from '#server/features/messages/claim-due.ts'
import { deliverMessage } from '#server/features/messages/deliver-due.ts'
import { lanes } from '#server/features/messages/lanes.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { reconcileDue } from '#server/features/payments/reconcile.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import { seed } from '#server/seed/seed.ts'
import type { Services } from '#server/calls/services.ts'
import { servicesOn } from './services-on.ts'
import { type DatabaseKind, openMigratedDatabase, type TestDatabase } from './test-databases.ts'
import { createSlowClock, type SlowClock, useSlowClock } from '#support/providers/slow-clock.ts'

export type TestServer = {
  app: FastifyInstance
  services: Services
  poolLoad: () => PoolLoad
  /** Writes to the database, as /ready does. */
  probe: () => Promise<void>
  /** The clock of the server only. Its own `advanceSeconds` leaves the stored times as they are. */
  clock: SlowClock
  /** Sends the due messages, advances the clock of the server and makes the stored times older. */
  advanceSeconds(seconds: number): Promise<void>
  outbox: {
    /** Sends the due messages: of one claim the codes first, then notices, then bulk (D94). */
    sendDue(): Promise<void>
    /** Sends the due messages, and returns all sent messages in the order of sending. */
    messages(): Promise<OutgoingMessage[]>
    /** The last one-time code sent to a contact. @throws when there is none. */
    codeFor(to: string): Promise<string>
  }
  /** One round of the reconciler. */
  reconcile(): Promise<void>
  /** The logged warnings and errors. Nothing checks them unless the test does; the test may empty the list. */
  warnings: { level: 'warn' | 'error'; fields: object; message: string }[]
  close(): Promise<void>
}

export type TestServerSettings = {
  /** `any` by default. */
  database?: DatabaseKind
  /** Size and limits of the pool; only PostgreSQL. */
  pool?: Pick<DatabaseSettings, 'poolSize' | 'timeoutMs' | 'limits'>
  /**
   * True: the server refuses calls when its pool is busy, as a real process does. `by-count`: by the number of calls only,
   * not by their wait for a connection, which depends on the machine.
   */
  refusesWhenBusy?: boolean | 'by-count'
  env?: Record<string, string>
  staticRoot?: string
  /** Changes the payment settings of the environment. */
  payments?: (settings: PaymentSettings) => PaymentSettings
  /** Replaces all providers that the payment settings lead to. */
  providers?: PaymentProviders
  /** The instant at which the clocks of the server and of its database start; 11:00 in Cameroon today by default. */
  startsAt?: string
  /** The offices of the demo are seeded by default; tests that open a server for each test save 20 ms without them. */
  offices?: 'seeded' | 'none'
}

/**
 * Starts the real server, without its jobs, on a database that has its keys and epoch and, by default, the offices of
 * the demo. Only the clock and the message gateways are fakes, and there is no captcha by default. The clock runs much
 * slower than the machine's, and `advanceSeconds` sets it forward.
 */
export async function startTestServer(settings: TestServerSettings = {}): Promise<TestServer> {
  const clock = createSlowClock(settings.startsAt)
  const setTime = (each: OpenDatabase) => useSlowClock(each, clock)
  const database = await openMigratedDatabase(settings.database ?? 'any', setTime, settings.pool)
  if (settings.offices !== 'none') await seed(database.db)
  const warnings: TestServer['warnings'] = []
  const logger: Services['logger'] = {
    info: () => undefined,
    warn: (fields, message) => warnings.push({ level: 'warn', fields, message }),
    error: (fields, message) => warnings.push({ level: 'error', fields, message }),
  }
  const env = { CAPTCHA: 'off', ...settings.env }
  const services = await servicesOn(database.db, { clock, logger, env })
  if (settings.payments) services.config.payments = settings.payments(services.config.payments)
  const providers = settings.providers ?? paymentProviders(services)
  let app: FastifyInstance | undefined
  const openApp = () =>
    createApp(services, {
      staticRoot: settings.staticRoot,
      providers,
      listen: database.listen,
      probe: database.probe,
      shedding: settings.refusesWhenBusy ? { load: loadOf(database, settings.refusesWhenBusy) } : undefined,
    })
  const outbox = openOutbox(services)
  return {
    // Made for the first call: a test without calls saves a quarter of the CPU time of a start.
    get app() {
      return (app ??= openApp())
    },
    services,
    probe: database.probe,
    poolLoad: database.load,
    clock,
    warnings,
    outbox,
    reconcile: () => reconcileDue(services, providers),
    async advanceSeconds(seconds) {
      // As the worker does every few seconds.
      await outbox.sendDue()
      await shiftDatabaseTimes(database, clock, seconds)
    },
    async close() {
      await app?.close()
      await database.close()
    },
  }
}

function loadOf(database: TestDatabase, measured: true | 'by-count'): ReturnType<typeof processLoadOf> {
  const load = processLoadOf(database, () => 0)
  return measured === true ? load : { ...load, pool: () => ({ ...load.pool(), longestWaitMs: 0 }) }
}

function openOutbox(services: Services): TestServer['outbox'] {
  const sent: OutgoingMessage[] = []
  const messenger = {
    async send(message: OutgoingMessage) {
      sent.push(message)
      return { kind: 'sent' } as const
    },
  }
  let delivered = Promise.resolve()
  /** One message after the other, in the order of the claim: the real worker sends a batch at once, in any order. */
  async function deliver(): Promise<void> {
    for (;;) {
      const claimed = await claimDue(services.db, lanes)
      if (claimed.length === 0) return
      for (const row of claimed) await deliverMessage(services, { sms: messenger, email: messenger }, row)
    }
  }
  /** One call after the other: a message that another call has claimed is not sent yet. */
  async function sendDue(): Promise<void> {
    delivered = delivered.catch(() => undefined).then(deliver)
    await delivered
  }
  async function messages(): Promise<OutgoingMessage[]> {
    await sendDue()
    return sent
  }
  return {
    sendDue,
    messages,
    async codeFor(to) {
      const code = (await messages()).findLast(message => message.to === to && message.kind === 'otp')?.code
      if (code === undefined) throw new Error(`No code was sent to ${to}.`)
      return code
    },
  }
}

/**
 * Advances the clock of the server, and subtracts the seconds from the stored times, because nothing sets the clock of
 * the database forward. These stay: calendar dates, local times of slots, and the times of the operator records and the
 * security events, which refuse every update (D102, D111).
 */
async function shiftDatabaseTimes({ db }: TestDatabase, clock: SlowClock, seconds: number): Promise<void> {
  clock.advanceSeconds(seconds)
  await sql.raw(shiftTimes(seconds)).execute(db)
}

const centurySeconds = 100 * 365 * 86_400

/**
 * One statement for all tables that have rows, because tests advance the clock hundreds of times. The database checks
 * a key row by row, so the counts, whose key has a time, move by a century first: in one step a row could move to the time
 * that another row still has.
 */
const shiftTimes = (seconds: number) => `do $$ declare each record; step double precision; begin
  for each in
    select relname, string_agg(format('%1$I = %1$I - make_interval(secs => $1)', attname), ', ') as changes
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(pg_class.oid) > 0
      and atttypid = 'timestamptz'::regtype and relname not in ('operator_record', 'security_event')
    group by relname
  loop
    foreach step in array case each.relname
      when 'usage_count' then array[${seconds + centurySeconds}, ${-centurySeconds}] else array[${seconds}] end
    loop
      execute format('update %I set ', each.relname) || each.changes using step;
    end loop;
  end loop;
end $$`
