import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Configuration } from '#server/config/config.ts'
import { rewrapProof, startEncryption, startPollMs, type WithDataKeys } from '#server/config/data-keys.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { answersUnderNewestKey } from '#server/features/applications/stored-form.ts'
import { messageUnderNewestKey } from '#server/features/messages/stored-message.ts'
import { phoneUnderNewestKey } from '#server/features/payments/payer-phone.ts'
import { type Command, done, type Outcome, pluralise } from './command.ts'
import { beforeAllAnswers, encryptAnswers } from './encrypt-answers.ts'
import { contactColumns, encryptContacts } from './encrypt-contacts.ts'

export const encryptDataCommand: Command = {
  name: 'encrypt-data',
  usage: '',
  operands: [0, 0],
  summary: 'Encrypts what an earlier release stored, and what is stored under an earlier DATA_KEY',
  help: [
    'Run it once when all servers are of this release: from then on they encrypt what they write. A release without',
    'the encryption cannot read what is encrypted. Run it again after a change of DATA_KEY. The servers go on working.',
    'A run that was stopped is continued by the next one. The first one waits some seconds for the servers.',
    'Answers of payment calls that were stored before the first run stay as they are: a job deletes them after seven days.',
  ],
  options: {},
  isRecorded: true,
  async run({ trx, config }) {
    const keys = { secrets: await loadSecrets(trx, config), config }
    return report(
      await encryptAll(
        keys,
        step => step(trx),
        () => Promise.resolve(),
      ),
    )
  },
  async runInSteps({ db, config, record }) {
    const keys = { secrets: await loadSecrets(db, config), config }
    await db.transaction().execute(trx => record(trx, []))
    const inSteps: RunStep = step => retryOnConflict(() => db.transaction().execute(step))
    return report(await encryptAll(keys, inSteps, () => pause(2 * startPollMs)))
  },
}

type RunStep = <Result>(step: (trx: Transaction<Schema>) => Promise<Result>) => Promise<Result>
type Counts = Record<Kind['noun'] | 'contact', number>

/**
 * How many rows a statement here reads and locks. `encryptAnswers` has a number of its own, and reads without a lock.
 */
const batchRows = 500

/**
 * Starts the encryption and encrypts all values, in rounds until a round finds nothing: a write that began before the
 * encryption started can commit a plain value later. Returns how many rows, and contacts, it has changed.
 */
async function encryptAll(
  keys: WithDataKeys & { config: Pick<Configuration, 'keys'> },
  runStep: RunStep,
  waitForServers: () => Promise<unknown>,
): Promise<Counts> {
  const { dataKeys } = keys.secrets
  const isStartedBefore = dataKeys.isStarted
  await runStep(trx => startEncryption(trx, dataKeys))
  if (!isStartedBefore) await waitForServers()
  const counts: Counts = {
    application: 0,
    order: 0,
    'old order': 0,
    message: 0,
    'stored answer': 0,
    contact: 0,
  }
  let changed: number
  do {
    changed = 0
    for (const kind of kinds) {
      const changedRows = await encryptKind(keys, kind, runStep)
      counts[kind.noun] += changedRows
      changed += changedRows
    }
    for (const column of contactColumns) {
      const changedContacts = await encryptColumn(keys, column, runStep)
      counts.contact += changedContacts
      changed += changedContacts
    }
  } while (changed > 0)
  await runStep(trx => rewrapProof(trx, dataKeys))
  await runStep(trx => deleteDemoKey(trx, keys.config))
  return counts
}

/**
 * A demo stores its generated key in the tables. Once all values are under a key of the settings, nothing needs the
 * generated key. It could only decrypt values in copies that were made before.
 */
async function deleteDemoKey(db: Kysely<Schema>, { keys }: Pick<Configuration, 'keys'>): Promise<void> {
  if (keys.dataKey !== undefined) await db.deleteFrom('secret').where('name', '=', 'dataKey').execute()
}

async function encryptColumn(
  { secrets }: WithDataKeys,
  column: (typeof contactColumns)[number],
  runStep: RunStep,
): Promise<number> {
  let changed = 0
  for (;;) {
    const batch = await runStep(trx => encryptContacts(trx, secrets.dataKeys, column))
    if (batch === 0) return changed
    changed += batch
  }
}

async function encryptKind(keys: WithDataKeys, kind: Kind, runStep: RunStep): Promise<number> {
  let changed = 0
  let after = kind.first
  for (;;) {
    const batch = await runStep(trx => kind.encryptBatch(trx, keys, after))
    changed += batch.changed
    if (batch.last === undefined) return changed
    after = batch.last
  }
}

/** `last`: the id of the last row that was read, or its scope and key; undefined when no row was left. */
type Batch = { changed: number; last: string | undefined }
type Kind = {
  noun: 'application' | 'order' | 'old order' | 'message' | 'stored answer'
  /** Comes before the id of every row, or before its scope and key. */
  first: string
  encryptBatch(trx: Kysely<Schema>, keys: WithDataKeys, after: string): Promise<Batch>
}

const kinds: readonly Kind[] = [
  {
    noun: 'application',
    first: '00000000-0000-0000-0000-000000000000',
    async encryptBatch(trx, keys, after) {
      const rows = await trx
        .selectFrom('application')
        .select(['id', 'data', 'additional_data'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(sql.lit(batchRows))
        .forUpdate()
        .execute()
      const changes = rows.flatMap(row => {
        const newest = answersUnderNewestKey(keys, row)
        return newest === undefined ? [] : [{ id: row.id, ...newest }]
      })
      await sql`
        update application set data = newest.data, additional_data = newest.additional_data
        from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ data }) => data)}::jsonb[],
          ${changes.map(each => each.additional_data)}::text[]) as newest (id, data, additional_data)
        where application.id = newest.id`.execute(trx)
      return { changed: changes.length, last: rows.at(-1)?.id }
    },
  },
  {
    noun: 'order',
    first: '',
    async encryptBatch(trx, keys, after) {
      const { changes, last } = await readOrders(trx, keys, { table: 'payment', after })
      await sql`
        update payment set phone = newest.phone, phone_hash = newest.phone_hash
        from unnest(${changes.map(each => each.order_id)}::text[], ${changes.map(({ phone }) => phone)}::text[],
          ${changes.map(each => each.phone_hash)}::text[]) as newest (order_id, phone, phone_hash)
        where payment.order_id = newest.order_id`.execute(trx)
      return { changed: changes.length, last }
    },
  },
  {
    noun: 'old order',
    first: '',
    async encryptBatch(trx, keys, after) {
      const { changes, last } = await readOrders(trx, keys, { table: 'past_order', after })
      await sql`
        update past_order set phone = newest.phone
        from unnest(${changes.map(each => each.order_id)}::text[], ${changes.map(({ phone }) => phone)}::text[])
          as newest (order_id, phone)
        where past_order.order_id = newest.order_id`.execute(trx)
      return { changed: changes.length, last }
    },
  },
  {
    noun: 'message',
    first: '0',
    async encryptBatch(trx, keys, after) {
      const rows = await trx
        .selectFrom('outbox')
        .select(['id', 'key', 'message'])
        .where('id', '>', Number(after))
        // The content of a message that was sent is deleted.
        .where(sql<boolean>`message <> '{}'::jsonb`)
        .orderBy('id')
        .limit(sql.lit(batchRows))
        .forUpdate()
        .execute()
      const changes = rows.flatMap(row => {
        const newest = messageUnderNewestKey(keys, row)
        return newest === undefined ? [] : [{ id: row.id, ...newest }]
      })
      await sql`
        update outbox set message = newest.message
        from unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ message }) => message)}::jsonb[])
          as newest (id, message)
        where outbox.id = newest.id`.execute(trx)
      const last = rows.at(-1)?.id
      return { changed: changes.length, last: last === undefined ? undefined : String(last) }
    },
  },
  // Only answers that are encrypted already: see the help.
  { noun: 'stored answer', first: beforeAllAnswers, encryptBatch: encryptAnswers },
]

/** Locks the next orders of a table. Returns what to store in those that need it. */
async function readOrders(
  trx: Kysely<Schema>,
  keys: WithDataKeys,
  { table, after }: { table: 'payment' | 'past_order'; after: string },
) {
  const { rows } = await sql<{ order_id: string; phone: string }>`
    select order_id, coalesce(phone, '') as phone from ${sql.table(table)}
    where order_id > ${after} order by order_id limit ${sql.lit(batchRows)} for update`.execute(trx)
  const changes = rows.flatMap(row => {
    const newest = phoneUnderNewestKey(keys, row)
    return newest === undefined ? [] : [{ order_id: row.order_id, ...newest }]
  })
  return { changes, last: rows.at(-1)?.order_id }
}

function report(counts: Counts): Outcome {
  const changed = Object.entries(counts).filter(([, count]) => count > 0)
  if (changed.length === 0) return done('Everything is encrypted under DATA_KEY.')
  return done(...changed.map(([noun, count]) => `${pluralise(count, noun)} encrypted under DATA_KEY.`))
}
