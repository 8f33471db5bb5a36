import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { deliverDue } from '#server/features/messages/outbox.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import { createFolderMessenger } from '#server/integrations/folder-messenger.ts'
import type { Messenger, OutgoingMessage } from '#server/integrations/messenger.ts'
import type { Services } from '#server/calls/services.ts'
import type { TestDatabase } from '#support/servers/test-databases.ts'
import { isFullRun } from '#support/test-tier.ts'
import { now, openReminderDatabase, expireClaims, insertDueApplicants } from './due-applicants.ts'

const people = isFullRun ? 20 : 3

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await openReminderDatabase()
})
afterAll(() => database.close())

function resetData(): Promise<string[]> {
  folder = mkdtempSync(join(tmpdir(), 'outbox-'))
  return insertDueApplicants(database, people)
}

class Killed extends Error {}

/** Something that a process does: a statement, or the handing over of a message. It may be the last. */
type Steps = { next(): void }

function dieAt(step: number): Steps & { taken(): number } {
  let taken = 0
  return {
    next() {
      taken += 1
      if (taken >= step) throw new Killed()
    },
    taken: () => taken,
  }
}

/** A process of a server, on connections of its own, as long as it lives. */
async function runProcess(steps: Steps): Promise<'done' | 'killed'> {
  const own = await connectDatabase({ databaseUrl: database.databaseUrl, dataDir: '', poolSize: 3 })
  const services = servicesOn(own.db.withPlugin(watch(steps)))
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

/** Dies before a message is handed over, or when it has been and nobody has noted it yet. */
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

function ignore(): void {}

function servicesOn(db: Services['db']): Services {
  return {
    db,
    clock: { now: () => now },
    logger: { info: ignore, warn: ignore, error: ignore },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the jobs ask for nothing else
  } as unknown as Services
}

/** What a gateway that knows its keys has sent: the file of each message ends with its key. */
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

const forever: Steps = { next: () => undefined }

describe('three processes that look for the same work', () => {
  it('write and send each announcement and each reminder exactly once (F12)', async () => {
    const keys = await resetData()
    const ends = await Promise.all([1, 2, 3].map(() => runProcess(forever)))
    expect(ends).toEqual(['done', 'done', 'done'])
    // Whoever found the work taken left it; what it had looked at meanwhile is there for the next round.
    await runProcess(forever)
    await expectEachOnce(keys)
  })

  it('still do when two of them die at any step', async () => {
    for (const step of isFullRun ? everyStep : [9]) {
      const keys = await resetData()
      await Promise.all([runProcess(dieAt(step)), runProcess(dieAt(step + 3)), runProcess(forever)])
      await expireClaims(database)
      await runProcess(forever)
      await expectEachOnce(keys)
    }
  }, 1_800_000)
})

describe('one process that is killed', () => {
  it('at each of its steps in turn, and started again, says everything once', async () => {
    const keys = await resetData()
    let rounds = 0
    // Each life is a little longer than the last, so that every kind of step is the last one of some life.
    for (let end: 'done' | 'killed' = 'killed'; end === 'killed'; rounds += 1) {
      end = await runProcess(dieAt(rounds * (isFullRun ? 1 : 5) + 1))
      await expireClaims(database)
    }
    expect(rounds).toBeGreaterThan(5)
    await expectEachOnce(keys)
  }, 1_800_000)
})

/** The first hundred of some hundred steps: after them the same ones come again, for other people. */
const everyStep = Array.from({ length: 100 }, (_, index) => index + 1)
