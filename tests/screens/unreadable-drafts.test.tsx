// @vitest-environment happy-dom
// Imported before Dexie, because Dexie takes the IndexedDB of the browser at its own import.
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { toWire } from '#contract/application.ts'
import { openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { listAnswers } from '#support/data/list-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { installFailingStorage, removeFailingStorage } from '#support/fixtures/portal-storage.ts'
import type { FailingStorage } from '#support/providers/failing-storage.ts'
import { isFullRun } from '#support/test-tier.ts'

const t = textsOf('fr')
let portal: Portal
let storage: FailingStorage
let applicant: string

beforeEach(() => {
  applicant = crypto.randomUUID()
  storage = installFailingStorage()
})

afterEach(async () => {
  storage.trouble = 'none'
  await portal.close()
  removeFailingStorage()
})

const troubles = [
  'fails at open',
  'fails at the first read',
  'fails after a while',
  'has a damaged row',
] as const
const uses = ['own', 'shared'] as const
type Trouble = (typeof troubles)[number]
type Opening = { path: string; state?: string; trouble: Trouble; use: (typeof uses)[number] }

const typed = { ...firstPassport, surname: 'Typed' }
const onServer = { ...toWire({ ...firstPassport, surname: 'Server' }), additionalData: '', version: 4 }
async function openPage({ path, state = 'NEW', use }: Omit<Opening, 'trouble'>) {
  portal = await openPortal({
    path,
    state,
    applicant,
    data: onServer,
    texts: use === 'shared' ? { [deviceUseStorageKey]: 'shared' } : {},
    answer({ method, url }) {
      const { pathname } = new URL(url, 'http://portal.test')
      const address = pathname.replace('/api/v1', '')
      if (address === '/version') return { json: { data: { version: '1', features: ['drafts'] } } }
      if (method === 'POST' && address === '/applications/app-1/data')
        return { status: 503, json: { statusCode: 503 } }
      const list = method === 'GET' ? listAnswers[address] : undefined
      return list === undefined ? undefined : { json: { data: list } }
    },
  })
}

/** Saves a draft whose answers the server never accepts, and opens the page again on a storage with this trouble. */
async function open({ trouble, ...page }: Opening) {
  await openPage({ ...page, path: '/help' })
  const base = { version: 4, additionalData: '', values: { ...typed, surname: 'Server' }, at: 1 }
  await portal.store.drafts.update('app-1', () => newDraft({ values: typed, tab: 'PersonData', base }))
  await portal.close()
  if (trouble === 'has a damaged row') await damageRows()
  if (trouble === 'fails at open') storage.trouble = 'open fails'
  if (trouble === 'fails at the first read') storage.trouble = 'connection stays lost'
  if (trouble !== 'fails after a while') return openPage(page)
  await openPage({ ...page, path: '/help' })
  await portal.see(() => expect(portal.services.sync.status('app-1')).toHaveProperty('draft'))
  storage.trouble = 'connection stays lost'
  await portal.router.navigate({ href: page.path })
}

async function rows() {
  const database = openDatabase()
  const all = await database.drafts.toArray()
  database.close()
  return all.filter(({ applicantId }) => applicantId === applicant)
}

async function countRevisions(): Promise<number> {
  const database = openDatabase()
  const count = await database.revisions.where({ applicantId: applicant }).count()
  database.close()
  return count
}

async function damageRows() {
  const database = openDatabase()
  await database.drafts.toCollection().modify(row => {
    row.sealed.text = new ArrayBuffer(40)
  })
  database.close()
}

const says = (text: string) => portal.see(() => expect(portal.main().textContent).toContain(text))
const shows = (text: string) => portal.main().textContent.includes(text)
const notice = () => portal.notices.state().last?.message
const postsTo = (path: string) =>
  portal.requests.filter(({ method, url }) => method === 'POST' && url.includes(path))

/** A page that has read the draft still knows that the server does not have it. */
const isKnown = (trouble: Trouble) => trouble === 'fails after a while'

async function press(label: string) {
  await portal.see(() => expect(portal.button(label).getAttribute('aria-disabled')).toBeNull())
  portal.button(label).click()
}

/** The first press says why nothing was sent; a press a second later sends, unless `isKnown`. */
async function pressAgain(label: string, { trouble, path }: { trouble: Trouble; path: string }) {
  await press(label)
  const key = isKnown(trouble) ? 'notice.unsent' : 'notice.unreadable'
  await portal.see(() => expect(notice()).toEqual({ key }))
  // A press that follows at once is part of a double press.
  await press(label)
  await portal.see(() => expect(portal.button(label).getAttribute('aria-disabled')).toBeNull())
  expect(postsTo(path)).toEqual([])
  portal.device.sleep(1_000)
  await press(label)
  if (!isKnown(trouble)) return portal.see(() => expect(postsTo(path)).toHaveLength(1))
  await portal.see(() => expect(portal.button(label).getAttribute('aria-disabled')).toBeNull())
  expect(postsTo(path)).toEqual([])
}

const situations: Record<string, (opening: Omit<Opening, 'path'>) => Promise<void>> = {
  async list({ trouble, use }) {
    await open({ path: '/procedure', trouble, use })
    await says(t(isKnown(trouble) ? 'form.waiting' : 'procedure.unreadable'))
    if (!isKnown(trouble)) expect(shows(t('procedure.unreadableList'))).toBe(trouble !== 'has a damaged row')
    if (trouble !== 'fails at the first read') return
    storage.trouble = 'none'
    portal.button(t('button.retry')).focus()
    await press(t('button.retry'))
    await portal.see(async () => {
      await portal.device.advance(1_000)
      expect(shows(t('procedure.unreadable'))).toBe(false)
    })
    expect(shows(t('procedure.unreadableList'))).toBe(false)
    // The button that had the focus is gone.
    expect(document.activeElement?.id).toBe('heading')
  },
  async form({ trouble, use }) {
    await open({ path: '/form/app-1/PP-1/PersonData', trouble, use })
    await portal.see(() => expect(portal.named('surname').value).toBe(isKnown(trouble) ? 'Typed' : 'Server'))
    await portal.see(() => expect(shows(t('confirm.unreadable'))).toBe(!isKnown(trouble)))
    expect(shows(t('form.onServer'))).toBe(false)
    portal.answer('givenName', 'New')
    await portal.device.advance(1_000)
    await portal.see(async () => {
      await portal.device.advance(1_000)
      const status = portal.services.sync.status('app-1')
      expect('draft' in status && status.draft.values.givenName).toBe('New')
    })
    storage.trouble = 'none'
    if (trouble === 'has a damaged row')
      return expect((await portal.store.drafts.read('app-1'))?.values.givenName).toBe('New')
    // After a failed open the store pauses for 30 s.
    await portal.device.advance(31_000)
    portal.answer('resAddressStreet', 'New street')
    await portal.see(async () => {
      await portal.device.advance(1_000)
      const draft = await portal.store.drafts.read('app-1')
      // What was saved before the trouble, and what was typed during it and after it.
      expect(draft?.values).toMatchObject({
        surname: 'Typed',
        givenName: 'New',
        resAddressStreet: 'New street',
      })
    })
  },
  async confirm({ trouble, use }) {
    await open({ path: '/confirm/app-1/PP-1', trouble, use })
    await portal.see(() => expect(portal.button(t('button.confirm'))).toBeDefined())
    if (!isKnown(trouble)) await says(t('confirm.unreadable'))
    await press(t('button.confirm'))
    if (isKnown(trouble)) {
      await portal.see(() => expect(notice()).toEqual({ key: 'notice.unsent' }))
      return expect(postsTo('/confirmData')).toEqual([])
    }
    await portal.see(() => expect(postsTo('/confirmData')).toHaveLength(1))
    // The server owns the answers now; those that could not be read stay on the device as a revision.
    if (trouble === 'has a damaged row')
      await portal.see(async () => expect([await rows(), await countRevisions()]).toEqual([[], 1]))
  },
  async payment({ trouble, use }) {
    await open({ path: '/payment/app-1/PP-1', state: 'DATA_SAVED', trouble, use })
    await portal.see(() => expect(portal.button(t('button.continue'))).toBeTruthy())
    await pressAgain(t('button.continue'), { trouble, path: '/payments/whitelist-payment-init' })
  },
  async booking({ trouble, use }) {
    await open({ path: '/appointment/app-1/PP-1', state: 'PAYMENT_DONE', trouble, use })
    await portal.see(() => expect(portal.options('country')).toContain('Cameroun'))
    portal.answer('country', '1')
    await says(t('appointment.generalQueue'))
    await pressAgain(t('button.confirm'), { trouble, path: '/appointments' })
  },
  async 'log-out'({ trouble, use }) {
    await open({ path: '/procedure', trouble, use })
    await portal.heading(t('procedure.heading'))
    const { session } = portal.services
    const leaving = session.logOut()
    if (use === 'shared') {
      const step = isKnown(trouble) ? 'asking' : 'asking-unreadable'
      await portal.see(async () => {
        await portal.device.advance(100)
        expect(session.logoutStep()).toBe(step)
      })
      session.answerLogout(false)
      await leaving
      expect(session.state().kind).toBe('signed-in')
    } else {
      await leaving
      await portal.see(() => expect(location.pathname).toBe('/'))
    }
    storage.trouble = 'none'
    expect(await rows()).toHaveLength(1)
  },
  async inactivity({ trouble, use }) {
    await open({ path: '/procedure', trouble, use })
    await portal.heading(t('procedure.heading'))
    const { session } = portal.services
    const leaving = session.logOut('inactivity')
    await portal.see(async () => {
      await portal.device.advance(100)
      expect(location.pathname).toBe('/')
    })
    await leaving
    storage.trouble = 'none'
    expect(await rows()).toHaveLength(1)
  },
}

/** The daily run takes each trouble and each situation at least once. */
const daily = new Set([
  'list, fails at open, own',
  'list, fails at the first read, own',
  'form, fails at the first read, own',
  'form, has a damaged row, shared',
  'confirm, has a damaged row, own',
  'payment, has a damaged row, own',
  'booking, fails at open, shared',
  'log-out, fails after a while, shared',
  'log-out, fails at the first read, shared',
  'log-out, has a damaged row, shared',
  'inactivity, has a damaged row, shared',
])
const cases = Object.entries(situations)
  .flatMap(([situation, check]) =>
    troubles.flatMap(trouble =>
      uses.map(use => [`${situation}, ${trouble}, ${use}`, { check, trouble, use }] as const),
    ),
  )
  .filter(([name]) => isFullRun || daily.has(name))

describe(
  'a device whose storage fails while it has answers that the server does not have (D74)',
  { timeout: 60_000 },
  () => {
    it.each(cases)('warns the applicant or keeps the answers: %s', (_, { check, trouble, use }) =>
      check({ trouble, use }),
    )
  },
)
