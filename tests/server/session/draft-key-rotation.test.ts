import 'fake-indexeddb/auto'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RefreshAnswer } from '#contract/session.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { configOf } from '#support/servers/services-on.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

type Keys = Pick<import('zod/mini').output<typeof RefreshAnswer>, 'draftKey' | 'previousDraftKey'>

const [old, next] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
// DRAFT_KEY encrypts. DRAFT_KEY_PREVIOUS only decrypts: first it is the next key, before any phone encrypts with that key, and
// then the old key.
const rounds = {
  old: { DRAFT_KEY: old },
  oldAndNew: { DRAFT_KEY: old, DRAFT_KEY_PREVIOUS: next },
  newAndOld: { DRAFT_KEY: next, DRAFT_KEY_PREVIOUS: old },
  new: { DRAFT_KEY: next },
}

let server: TestServer
let applicant: SignedIn
let phoneDatabase: Database

beforeEach(async () => {
  server = await startTestServer({ offices: 'none', env: rounds.old })
  applicant = await signIn(server)
  phoneDatabase = openDatabase(crypto.randomUUID())
})

afterEach(async () => {
  await phoneDatabase.delete()
  await server.close()
})

/** Gives the running server the keys that it would have after a restart with these settings. */
async function restartWith(env: Record<string, string>): Promise<void> {
  const config = configOf({ CAPTCHA: 'off', ...env })
  Object.assign(server.services.config, config)
  Object.assign(server.services.secrets, await loadSecrets(server.services.db, config))
}

async function askKeys(): Promise<Keys> {
  const { draftKey, previousDraftKey } = bodyOf(await applicant.call('refreshToken')).data
  return { draftKey, previousDraftKey }
}

/** Opens a page of the portal on the phone, in the session of the applicant. */
async function openPage(): Promise<Store> {
  const page = createStoreOn(phoneDatabase, createFakeDevice(), mergeScreenForm)
  await unlock(page)
  return page
}

async function unlock(page: Store): Promise<void> {
  await page.setKey(
    { applicantId: applicant.applicantId, draftKey: undefined, ...(await askKeys()) },
    'device',
  )
}

function write(page: Store, surname: string, id = 'local-1') {
  const values = { ...firstPassport, surname }
  return page.drafts.update(id, draft =>
    draft ? { ...draft, values } : newDraft({ values, tab: 'NicData' }),
  )
}

const surnameOf = async (page: Store, id = 'local-1') => (await page.drafts.read(id))?.values.surname
const earlierOf = async (page: Store) => (await page.revisions('local-1')).map(({ values }) => values.surname)

describe('a change of DRAFT_KEY (D31, D110)', () => {
  it('keeps drafts, earlier answers and cached answers readable after the old key is gone', async () => {
    const before = await openPage()
    await write(before, 'Ngo')
    await write(before, 'Mbock')
    await before.responses.write('list', ['application'])
    await before.responses.writeFile('receipt', new Blob(['receipt']))
    await restartWith(rounds.oldAndNew)
    expect(await surnameOf(await openPage())).toBe('Mbock')
    await restartWith(rounds.newAndOld)
    const during = await openPage()
    expect(await surnameOf(during)).toBe('Mbock')
    await restartWith(rounds.new)
    const after = await openPage()
    expect(await surnameOf(after)).toBe('Mbock')
    expect(await earlierOf(after)).toEqual(['Ngo'])
    expect(await after.responses.read('list')).toEqual(['application'])
    expect(await (await after.responses.readFile('receipt'))?.text()).toBe('receipt')
  })

  it('keeps a draft that the phone cannot decrypt when the form saves a new one in its place', async () => {
    await write(await openPage(), 'Ngo')
    await restartWith(rounds.new)
    await write(await openPage(), 'Mbock')
    await restartWith(rounds.newAndOld)
    expect(await earlierOf(await openPage())).toEqual(['Ngo'])
    await restartWith(rounds.new)
    expect(await earlierOf(await openPage())).toEqual(['Ngo'])
  })

  it('opens a draft of the old key when the phone starts without the server', async () => {
    await write(await openPage(), 'Ngo')
    await restartWith(rounds.newAndOld)
    await openPage()
    const offline = createStoreOn(phoneDatabase, createFakeDevice(), mergeScreenForm)
    expect(await surnameOf(offline)).toBe('Ngo')
  })

  it('lets two tabs that learned the keys in different rounds read what the other one saves', async () => {
    await restartWith(rounds.oldAndNew)
    const first = await openPage()
    await write(first, 'Ngo')
    await restartWith(rounds.newAndOld)
    const second = await openPage()
    await write(second, 'Mbock')
    expect(await surnameOf(first)).toBe('Mbock')
    await write(first, 'Njoya')
    expect(await surnameOf(second)).toBe('Njoya')
    await unlock(second)
    await restartWith(rounds.new)
    expect(await surnameOf(await openPage())).toBe('Njoya')
  })

  it('does not overwrite what another tab saves while a row is encrypted again', async () => {
    const first = await openPage()
    for (const id of ['a', 'b', 'c']) await write(first, `before ${id}`, id)
    await restartWith(rounds.newAndOld)
    const second = createStoreOn(phoneDatabase, createFakeDevice(), mergeScreenForm)
    await Promise.all([unlock(second), ...['a', 'b', 'c'].map(id => write(first, `after ${id}`, id))])
    for (const id of ['a', 'b', 'c']) expect(await surnameOf(second, id)).toBe(`after ${id}`)
  })

  it('tells the previous key only to its applicant, and none after the end of the change', async () => {
    await restartWith(rounds.newAndOld)
    const other = await signIn(server, { phone: '237670000002' })
    const [mine, theirs] = [await askKeys(), bodyOf(await other.call('refreshToken')).data]
    expect(mine.previousDraftKey).toBe(applicant.draftKey)
    expect(
      new Set([mine.draftKey, mine.previousDraftKey, theirs.draftKey, theirs.previousDraftKey]).size,
    ).toBe(4)
    await restartWith(rounds.new)
    expect((await askKeys()).previousDraftKey).toBeUndefined()
  })

  it('needs two different keys in production', () => {
    expect(() => configOf({ PROFILE: 'production', DRAFT_KEY: old, DRAFT_KEY_PREVIOUS: old })).toThrow(
      'DRAFT_KEY and DRAFT_KEY_PREVIOUS must differ',
    )
  })
})
