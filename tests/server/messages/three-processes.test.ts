import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encryptionPlugin } from '#server/config/data-keys.ts'
import { connectDatabase } from '#server/database/connect.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import { createFolderMessenger } from '#server/integrations/folder-messenger.ts'
import type { Messenger, OutgoingMessage } from '#server/integrations/messenger.ts'
import type { Services } from '#server/calls/services.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import type { TestDatabase } from '#support/servers/test-databases.ts'
import { isFullRun } from '#support/test-tier.ts'
import { now, openReminderDatabase, expireClaims, insertDueApplicants } from './due-applicants.ts'

/** The kinds: applicants to warn of the deletion of their application, and those with an appointment tomorrow. */
const applicantsOfEachKind = isFullRun ? 20 : 3

let database: TestDatabase
/** Everything but the connections, which each process has for itself. */
let shared: Omit<Services, 'db'>
let folder: string
beforeAll(async () => {
  database = await openReminderDatabase()
  shared = await servicesOn(database.db, { clock: { now: () => now } })
})
afterAll(() => database.close())

function resetData(): Promise<string[]> {
  folder = mkdtempSync(join(tmpdir(), 'outbox-'))
  return insertDueApplicants(database, applicantsOfEachKind)
}

class Killed extends Error {}

/**
 * One step of a process: a statement, the moment before a message is sent, or the moment after it. The test can kill
 * the process at a step.
 */
type Steps = { next(): void }

function dieAt(step: number): Steps {
  let taken = 0
  return {
    next() {
      taken += 1
      if (taken >= step) throw new Killed()
    },
  }
}

/** A simulated server process with its own connections, until it is killed. */
async function runProcess(steps: Steps): Promise<'done' | 'killed'> {
  const own = await connectDatabase({ databaseUrl: database.databaseUrl, dataDir: '', poolSize: 3 })
  const plugin = encryptionPlugin(shared.secrets.dataKeys)
  const services = { ...shared, db: own.db.withPlugin(plugin).withPlugin(watch(steps)) }
  const messenger = dyingMessenger(steps)
  try {
    await deleteDue(services)
    await remindDue(services)
    while ((await deliverDue(services, { sms: messenger, email: messenger })) > 0);
    return 'done'
  } catch (error) {
    if (error instanceof Killed) return 'killed'
    throw error
  } finally {
    await own.close()
  }
}

function watch(steps: Steps): KyselyPlugin {
  return {
    transformQuery({ node }) {
      steps.next()
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

/** Takes one step before it sends a message, and one after sending, before the process records that. */
function dyingMessenger(steps: Steps): Messenger {
  const gateway = createFolderMessenger({ folder, now: () => now })
  return {
    async send(message: OutgoingMessage) {
      steps.next()
      const result = await gateway.send(message)
      steps.next()
      return result
    },
  }
}

/**
 * Returns the messages in the folder. Like a gateway that knows keys, the folder takes no second message with the same
 * key: each file name ends with a hash of the message's key. So these tests see no message that was sent twice.
 */
function sentFiles(): { to: string; kind: string; text: string }[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .map(
      name =>
        JSON.parse(readFileSync(join(folder, name), 'utf8')) as { to: string; kind: string; text: string },
    )
}

async function expectEachOnce(keys: string[]) {
  const rows = await database.db.selectFrom('outbox').select(['key', 'sent_at', 'failed_at']).execute()
  expect(rows.map(({ key }) => key).toSorted()).toEqual(keys)
  expect(rows.filter(({ sent_at, failed_at }) => sent_at === null || failed_at !== null)).toEqual([])
  expect(sentFiles()).toHaveLength(keys.length)
  rmSync(folder, { recursive: true })
}

const neverKilled: Steps = { next: () => undefined }

describe('three processes with the same due work', () => {
  it('store each warning and each reminder once, and leave one message of each key at the gateway (F12)', async () => {
    const keys = await resetData()
    const ends = await Promise.all([1, 2, 3].map(() => runProcess(neverKilled)))
    expect(ends).toEqual(['done', 'done', 'done'])
    // A process skips work that another one claimed. The next round does the remaining work.
    await runProcess(neverKilled)
    await expectEachOnce(keys)
  })

  it('leave one message of each key at the gateway when two of them are killed', async () => {
    for (const step of isFullRun ? killStepsOfFirstProcess : [9]) {
      const keys = await resetData()
      await Promise.all([runProcess(dieAt(step)), runProcess(dieAt(step + 3)), runProcess(neverKilled)])
      await expireClaims(database)
      await runProcess(neverKilled)
      await expectEachOnce(keys)
    }
  }, 1_800_000)
})

describe('one process that is killed', () => {
  it('leaves one message of each key at the gateway when it is killed again and again and restarted', async () => {
    const keys = await resetData()
    let rounds = 0
    // Each run may take more steps than the one before, so that the process is killed at different steps.
    for (let end: 'done' | 'killed' = 'killed'; end === 'killed'; rounds += 1) {
      end = await runProcess(dieAt(rounds * (isFullRun ? 1 : 5) + 1))
      await expireClaims(database)
    }
    expect(rounds).toBeGreaterThan(5)
    await expectEachOnce(keys)
  }, 1_800_000)
})

/** In a full run: the first hundred of several hundred steps; the later ones repeat them for other applicants. */
const killStepsOfFirstProcess = Array.from({ length: 100 }, (_, index) => index + 1)
