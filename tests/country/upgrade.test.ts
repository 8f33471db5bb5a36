import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { openWatchedPage, type PageFaults } from '#support/browsers/watched-page.ts'
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

describe('an upgrade and a rollback, under load', () => {
  it('fail no request, unless a process is busy, and lose no typed character of an open form (D36, D73, D92)', async () => {
    const forms = [await openPersonTab('699900000'), await openDocumentsTab('699900001')]
    const demand = createDemand(cluster, { thinkMs: 300 })
    const arriving = demand.arrive({ journeys: 240, seconds: 120 })
    const typing = forms.map(changeUntilStopped)
    await pause(10_000) // the old release serves alone

    await migrateAsOwner(cluster.postgresql.url('country'), next.folder)
    await replaceAll(next.folder)
    expect(await countNewColumns()).toBe(widenedTables.length)
    await pause(10_000) // the new release serves alone
    await replaceAll(root)

    await arriving
    await demand.complete({ timeoutSeconds: 180 })
    const figures = demand.traffic.take()
    const counts = await expectNothingLost(cluster, demand)
    printFigures('upgrade and rollback', { ...figures, ...counts })
    expect(demand.errors).toEqual([])
    expect(figures, demand.traffic.firstFailures().join('\n')).toMatchObject({
      failed: 0,
      bugs: 0,
      // A busy process says when to come again (D92); whether one is busy depends on the machine.
      withoutRetryAfter: 0,
    })
    expect(counts.complete).toBe(240)
    for (const each of typing) await expectSaved(await each.stop())
    for (const { faults } of forms)
      expect(faults.requests.filter(request => !request.startsWith('503 '))).toEqual([])
  })
})

/** Replaces one process after the other, each when the one before is ready. */
async function replaceAll(folder: string): Promise<void> {
  for (const each of cluster.processes) {
    await each.stop('SIGTERM')
    await each.start(folder)
    await pause(2_000) // both releases serve
  }
}

/** Tables that are read and written all the time, by statements of all kinds. */
const widenedTables = ['application', 'payment', 'appointment']

/** The next release has a migration for each of these tables, which are in use: it adds a column and an index (D73). */
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

type OpenForm = {
  applicant: Applicant
  phone: string
  faults: PageFaults
  /** The changes of the open tab, made in turn. */
  changes: readonly ((turn: number) => Change)[]
}

/** One change of a field: the values that the form has then. */
type Change = { values: Partial<FormValues>; make: () => Promise<void> }

async function openPersonTab(phone: string): Promise<OpenForm> {
  const { applicant, faults } = await openForm(phone)
  const genders = ['11217', '11216'] as const
  const changes: OpenForm['changes'] = [
    textChange(applicant, 'surname'),
    textChange(applicant, 'givenName'),
    textChange(applicant, 'resAddressStreet'),
    turn => {
      const occupation = turn % 2 === 0 ? '06' : '33'
      return { values: { occupation }, make: () => choose(applicant, 'occupation', occupation) }
    },
    turn => {
      const dayOfBirth = String((turn % 28) + 1).padStart(2, '0')
      const make = () => applicant.fillDate('field.dateOfBirth', dayOfBirth, '03', '1990')
      return { values: { dayOfBirth, monthOfBirth: '03', yearOfBirth: '1990' }, make }
    },
    turn => {
      const gender = genders[turn % 2] ?? genders[0]
      return { values: { gender }, make: () => applicant.chooseRadio('field.gender', `gender.${gender}`) }
    },
  ]
  return { applicant, phone, faults, changes }
}

async function openDocumentsTab(phone: string): Promise<OpenForm> {
  const { applicant, faults } = await openForm(phone)
  await applicant.fillPerson({ ...firstPassport, phoneNumber: phone })
  await applicant.continueTo('tab.ParentData')
  await applicant.fillParents(firstPassport)
  await applicant.continueTo('tab.NicData')
  await applicant.chooseRadio('field.selectNic', 'nic.2')
  const changes: OpenForm['changes'] = [
    textChange(applicant, 'nicPlaceOfIssuance'),
    turn => {
      const nicNumber = String(100_000_000 + turn)
      return { values: { nicNumber }, make: () => applicant.named('nicNumber').fill(nicNumber) }
    },
    turn => {
      const day = String((turn % 28) + 1).padStart(2, '0')
      const make = () => applicant.fillDate('field.nicDateOfIssuance', day, '05', '2021')
      return { values: { nicDateOfIssuance: `2021-05-${day}` }, make }
    },
  ]
  return { applicant, phone, faults, changes }
}

async function openForm(phone: string): Promise<{ applicant: Applicant; faults: PageFaults }> {
  const { page, faults } = await openWatchedPage(browser, { origin: cluster.origin })
  const applicant = createApplicant(page, asPortal(), 'fr')
  await applicant.chooseLanguage()
  await applicant.signInByPhone(phone)
  await applicant.startApplication()
  await applicant.fillGeneral(firstPassport)
  await applicant.continueTo('tab.PersonData')
  return { applicant, faults }
}

/** Each text field of `textChange` takes at least this many characters. */
const longestText = 20

/** Fills in one letter more at each turn; after the longest text starts again with one letter. */
function textChange(
  applicant: Applicant,
  name: 'surname' | 'givenName' | 'resAddressStreet' | 'nicPlaceOfIssuance',
): (turn: number) => Change {
  return turn => {
    const text = letters(1 + (turn % longestText))
    return { values: { [name]: text }, make: () => applicant.named(name).fill(text) }
  }
}

const letters = (count: number) =>
  Array.from({ length: count }, (_, at) => String.fromCharCode(97 + at)).join('')

async function choose(applicant: Applicant, name: string, value: string): Promise<void> {
  await applicant.named(name).selectOption(value)
}

/** The cluster in the form of a single portal, for the helpers of browser tests. The codes come from the SMS gateway. */
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

type Changed = { form: OpenForm; values: Partial<FormValues> }

/** Changes one field after the other, until it is stopped. */
function changeUntilStopped(form: OpenForm): { stop(): Promise<Changed> } {
  const stopping = new AbortController()
  let values: Partial<FormValues> = {}
  const done = (async () => {
    for (let count = 0; !stopping.signal.aborted; count += 1) {
      const change = form.changes[count % form.changes.length]?.(Math.floor(count / form.changes.length))
      await change?.make()
      values = { ...values, ...change?.values }
      await pause(400) // an applicant also pauses between two fields
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await done
      return { form, values }
    },
  }
}

/** The server has the last value of each field. */
async function expectSaved({ form, values }: Changed): Promise<void> {
  expect(Object.keys(values).length).toBeGreaterThanOrEqual(form.changes.length)
  await until(`the last changes on the server: ${JSON.stringify(values)}`, async () => {
    const services = await servicesOn(cluster.db)
    const rows = await services.db
      .selectFrom('contact')
      .innerJoin('application', 'application.applicant_id', 'contact.applicant_id')
      .select(['application.id', 'application.data'])
      .where(columnIsContact('contact.value', `237${form.phone}`))
      .execute()
    return rows.some(row => hasValues(decryptForm(services, row), values)) ? true : undefined
  })
}

function hasValues(stored: FormValues, values: Partial<FormValues>): boolean {
  return Object.entries(values).every(([name, value]) => stored[name as keyof FormValues] === value) // the names are those of the form
}
