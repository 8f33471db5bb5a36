import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { isContact } from '#server/database/contact-values.ts'
import { openForm as readStored } from '#server/features/applications/stored-form.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { openWatchedPage } from '#support/browsers/watched-page.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { type OpenPortal, until } from '#support/servers/portal.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { createReleaseCheckout, type ReleaseCheckout } from '#support/servers/release-checkout.ts'
import { type Cluster, migrateAsOwner, openCluster } from './cluster.ts'
import { createDemand } from './demand.ts'
import { expectNothingLost } from './expect-nothing-lost.ts'
import { root } from './processes.ts'
import { printFigures } from './report.ts'

let cluster: Cluster
let next: ReleaseCheckout
let browser: Browser

beforeAll(async () => {
  cluster = await openCluster()
  // As docs/deploy.md says: the next release is built in a new folder with a copy of dist/.
  next = createReleaseCheckout()
  addMigrations(next.folder)
  next.buildRelease('next')
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await cluster?.close()
  next?.remove()
})

describe('a new release and the way back, under load', () => {
  it('fail no request and lose no key of an open form (D36, D73)', async () => {
    const forms = await Promise.all([0, 1].map(openForm))
    const demand = createDemand(cluster, { thinkMs: 300 })
    const arriving = demand.arrive(240, 120)
    const typing = forms.map(typeUntilStopped)
    await pause(10_000)

    await migrateAsOwner(cluster.postgresql.url('country'), next.folder)
    await replaceAll(next.folder)
    expect(await countNewColumns()).toBe(widenedTables.length)
    await pause(10_000)
    await replaceAll(root)

    await arriving
    await demand.complete(180)
    const figures = demand.traffic.take()
    const counts = await expectNothingLost(cluster, demand)
    printFigures('upgrade and way back', { ...figures, ...counts })
    expect(demand.errors).toEqual([])
    expect(figures, demand.traffic.samples().join('\n')).toMatchObject({ failed: 0, bugs: 0 })
    expect(counts.complete).toBe(240)
    for (const each of typing) await expectTyped(await each.stop())
  })
})

/** Replaces one process after the other, each when the one before is ready. */
async function replaceAll(folder: string): Promise<void> {
  for (const each of cluster.processes) {
    await each.stop('SIGTERM')
    await each.start(folder)
    await pause(2_000)
  }
}

/** Tables that are read and written all the time, by statements of all kinds. */
const widenedTables = ['application', 'payment', 'appointment']

/** The next release adds a column and an index to tables that are in use, each in a migration of its own (D73). */
function addMigrations(folder: string): void {
  const index = join(folder, 'server/database/migrations/index.ts')
  const text = readFileSync(index, 'utf8')
  const added = widenedTables.map(
    (table, number) => `  '0999-${number}-notes': {
    up: async db => {
      await db.schema.alterTable('${table}').addColumn('note', 'text').execute()
      await db.schema.createIndex('${table}_note').on('${table}').column('note').execute()
    },
  },
`,
  )
  writeFileSync(index, text.replace(/\n\}\n$/, `\n${added.join('')}}\n`))
}

async function countNewColumns(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from information_schema.columns
    where table_name = any(${widenedTables}) and column_name = 'note'`.execute(cluster.db)
  return rows[0]?.count ?? 0
}

type OpenForm = { page: Page; applicant: Applicant; phone: string }

/** An applicant who has the Person tab open. */
async function openForm(index: number): Promise<OpenForm> {
  const phone = `69990000${index}`
  const { page } = await openWatchedPage(browser, { origin: cluster.origin })
  const applicant = createApplicant(page, asPortal(), 'fr')
  await applicant.chooseLanguage()
  await applicant.signInByPhone(phone)
  await applicant.startApplication()
  await applicant.fillGeneral(firstPassport)
  await applicant.continueTo('tab.PersonData')
  return { page, applicant, phone }
}

/** What the tests of one portal use; the codes come from the SMS gateway. */
function asPortal(): OpenPortal {
  return {
    origin: cluster.origin,
    dataDir: '',
    messages: () => [],
    codeFor: contact =>
      until(`a code for ${contact}`, async () => {
        const digits = contact.replace(/\D/g, '')
        return cluster.gateway.codes.get(digits)
      }),
  }
}

const typedFields = ['surname', 'givenName', 'resAddressStreet'] as const
type Typed = { form: OpenForm; texts: Record<(typeof typedFields)[number], string> }

/** The fields take at least so many characters. */
const longestText = 30

/** Types one letter after the other, into one field after the other, until it is stopped. */
function typeUntilStopped(form: OpenForm): { stop(): Promise<Typed> } {
  const stopping = new AbortController()
  const texts: Typed['texts'] = { surname: '', givenName: '', resAddressStreet: '' }
  const done = (async () => {
    for (let count = 0; !stopping.signal.aborted; count += 1) {
      const name = typedFields[count % typedFields.length] ?? 'surname'
      const letter = String.fromCharCode(97 + (count % 26))
      texts[name] = texts[name].length < longestText ? texts[name] + letter : letter
      await form.applicant.named(name).fill(texts[name])
      await pause(400)
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await done
      return { form, texts }
    },
  }
}

/** The page and the server have the last texts. */
async function expectTyped({ form, texts }: Typed): Promise<void> {
  for (const name of typedFields) expect(await form.applicant.named(name).inputValue()).toBe(texts[name])
  await until('the last keys on the server', async () => {
    const services = await servicesOn(cluster.db)
    const rows = await services.db
      .selectFrom('contact')
      .innerJoin('application', 'application.applicant_id', 'contact.applicant_id')
      .select(['application.id', 'application.data'])
      .where(isContact('contact.value', `237${form.phone}`))
      .execute()
    return rows.some(row => hasTexts(readStored(services, row), texts)) ? true : undefined
  })
}

function hasTexts(stored: FormValues, texts: Typed['texts']): boolean {
  return typedFields.every(name => stored[name] === texts[name])
}
