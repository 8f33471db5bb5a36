import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { pendingEraseKey, sessionIdKey } from '#store/device-use.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let storage: FailingStorage
let device: FakeDevice
let store: Store

/** Ben's session has ended in a crash of the browser: his draft is on the device without its key. Ada's session is open. */
beforeEach(async () => {
  storage = createFailingStorage()
  device = createFakeDevice()
  await signInAndWrite(openPage(), 'ben')
  store = openPage()
  await signInAndWrite(store, 'ada')
})

/** After a failed open, the store does not open the database again for 30 seconds. */
const endPause = () => device.sleep(30_000)

/** `id`: of the session of the page. */
function openPage(id?: string): Store {
  // A timeout ends at once while the storage hangs, and never while it answers.
  const after = (_milliseconds: number, run: () => void) => {
    const timer = storage.trouble === 'work hangs' ? setTimeout(run) : undefined
    return () => clearTimeout(timer)
  }
  const hasNewer = () => ![undefined, id].includes(device.readText(sessionIdKey))
  const session = { applicantId: () => undefined, id: () => id, hasNewer }
  return createStoreOn(
    openDatabase('portal', storage.factory),
    { ...device, after },
    mergeScreenForm,
    session,
  )
}

function signIn(page: Store, applicantId: string, lifetime: 'memory' | 'device' = 'memory') {
  return page.setKey({ applicantId, draftKey: `secret of ${applicantId}` }, lifetime)
}

/** At a server without a secret the device makes a random key (D67). */
function signInWithoutKey(page: Store, applicantId: string, lifetime: 'memory' | 'device') {
  return page.setKey({ applicantId, draftKey: undefined }, lifetime)
}

function write(page: Store, applicantId: string) {
  return page.drafts.update(`app-of-${applicantId}`, () =>
    newDraft({ values: firstPassport, tab: 'NicData' }),
  )
}

async function signInAndWrite(page: Store, applicantId: string) {
  await signIn(page, applicantId)
  await write(page, applicantId)
}

/**
 * Resolves to true when the database stays, because it may have locked drafts. After false, and after a rejection without
 * `keepsOwnLocked`, the portal deletes the whole database (src/app/on-session-end.ts).
 */
async function logOut(page: Store, options = { keepsOwnLocked: false }): Promise<boolean> {
  await page.clearKey()
  return page.lockedDrafts.deleteAllButLocked(options)
}

async function ownersOfRows(): Promise<string[]> {
  const database = openDatabase('portal', storage.factory)
  const rows = await Promise.all(database.tables.map(table => table.toArray()))
  database.close()
  return rows.flat().map(row => row.applicantId)
}

/** Changes an answer, so that the draft has an earlier one (D63). */
function writeAgain(page: Store, applicationId: string) {
  const values = { ...firstPassport, surname: 'Mbock' }
  return page.drafts.update(applicationId, draft => draft && { ...draft, values })
}

async function idsAfterSignIn(applicantId: string): Promise<string[]> {
  const page = openPage()
  await signIn(page, applicantId)
  return (await page.drafts.all()).map(({ applicationId }) => applicationId)
}

describe('a log-out of a shared device whose storage fails at the deletion (D31)', () => {
  it('erases the applicant on a full disk, and keeps the drafts of another', async () => {
    storage.trouble = 'disk is full'
    expect(await logOut(store)).toBe(true)
    expect(await ownersOfRows()).toEqual(['ben'])
    storage.trouble = 'none'
    expect(device.readText(pendingEraseKey)).toBeUndefined()
    expect(await idsAfterSignIn('ben')).toEqual(['app-of-ben'])
  })

  it.each([
    ['in the first deletion', false],
    ['in the deletion of the applicant alone too', true],
  ])(
    'keeps the drafts of another, and the browser reports the error, when the program has a mistake %s',
    async (_name, isSecond) => {
      const hasMistake = { inSession: false, inMarks: isSecond }
      const hasNewer = () => {
        if (!hasMistake.inSession) return false
        hasMistake.inSession = false
        throw new TypeError('x is not a function')
      }
      const readText = (key: string) => {
        const text = device.readText(key)
        if (hasMistake.inMarks && key === pendingEraseKey && text) throw new TypeError('x is undefined')
        return text
      }
      const session = { applicantId: () => undefined, id: () => undefined, hasNewer }
      const database = openDatabase('portal', storage.factory)
      const page = createStoreOn(database, { ...device, readText }, mergeScreenForm, session)
      await signIn(page, 'ada')
      hasMistake.inSession = true
      expect(await logOut(page)).toBe(true)
      const message = isSecond ? 'x is undefined' : 'x is not a function'
      const reported: unknown[] = []
      for (let each = 0; each < 3; each += 1)
        await device.advance(0).catch((error: unknown) => reported.push(error))
      expect(reported).toContainEqual(new TypeError(message))
      await openPage().finishErase()
      expect(await ownersOfRows()).toEqual(['ben'])
    },
  )

  it.each(['connection stays lost', 'work hangs'] as const)(
    'erases the applicant at the next start, and keeps the drafts of another: %s',
    async trouble => {
      storage.trouble = trouble
      expect(await logOut(store)).toBe(true)
      storage.trouble = 'none'
      await openPage().finishErase()
      expect(await ownersOfRows()).toEqual(['ben'])
      expect(device.readText(pendingEraseKey)).toBeUndefined()
      expect(await idsAfterSignIn('ben')).toEqual(['app-of-ben'])
    },
  )

  it('erases the applicant at the next sign-in, when the storage failed at the next start too', async () => {
    storage.trouble = 'connection stays lost'
    await logOut(store)
    await expect(openPage().finishErase()).rejects.toMatchObject({ name: 'StorageFault' })
    storage.trouble = 'none'
    expect(await idsAfterSignIn('ben')).toEqual(['app-of-ben'])
    expect(await ownersOfRows()).toEqual(['ben'])
  })

  it('never erases an applicant whose mark another tab removes while this page erases the applicant of the previous mark', async () => {
    device.saveText(pendingEraseKey, 'applicant ada\napplicant ben')
    const erased = openPage().finishErase()
    // What the sign-in of ben in another tab does.
    device.saveText(pendingEraseKey, 'applicant ada')
    await erased
    expect(await ownersOfRows()).toEqual(['ben'])
  })

  it('marks an applicant once when the log-outs of two tabs fail', async () => {
    const other = openPage()
    await signIn(other, 'ada')
    storage.trouble = 'connection stays lost'
    await logOut(store)
    await logOut(other)
    expect(device.readText(pendingEraseKey)).toBe('applicant ada')
  })

  it('marks no more than the last 100 applicants where the browser never opens a database', async () => {
    storage.trouble = 'open is forbidden'
    for (let visit = 1; visit <= 101; visit += 1) {
      const page = openPage()
      await signIn(page, `visitor-${visit}`)
      await expect(logOut(page)).rejects.toMatchObject({ name: 'StorageFault' })
    }
    const marks = device.readText(pendingEraseKey)?.split('\n')
    expect(marks).toHaveLength(100)
    expect(marks?.at(0)).toBe('applicant visitor-2')
    expect(marks?.at(-1)).toBe('applicant visitor-101')
  })

  it('never erases what the applicant writes after another sign-in', async () => {
    storage.trouble = 'connection stays lost'
    await logOut(store)
    const next = openPage()
    await signIn(next, 'ada')
    storage.trouble = 'none'
    endPause()
    await write(next, 'ada')
    await openPage().finishErase()
    expect(await idsAfterSignIn('ada')).toEqual(['app-of-ada'])
  })

  it.each([
    [
      'of a session that began before the device was shared',
      async (page: Store) => signIn(page, 'ada', 'device'),
    ],
    [
      'that a server without a secret has left on the device',
      async (page: Store) => {
        await signInWithoutKey(openPage(), 'ada', 'device')
        await signInWithoutKey(page, 'ada', 'memory')
      },
    ],
  ])(
    'rejects, so that the portal deletes the whole database, when the device may have a key %s',
    async (_name, signInAgain) => {
      const page = openPage()
      await signInAgain(page)
      storage.trouble = 'connection stays lost'
      await expect(logOut(page)).rejects.toMatchObject({ name: 'StorageFault' })
      // The browser may refuse to delete the database: then the next start erases the rows.
      storage.trouble = 'none'
      await openPage().finishErase()
      expect(await ownersOfRows()).toEqual(['ben'])
    },
  )

  it('erases no rows when the drafts of the applicant are locked, also in another tab', async () => {
    await store.lockedDrafts.lock(['app-of-ada'])
    const beside = openPage()
    storage.trouble = 'connection stays lost'
    for (const page of [store, beside])
      await expect(logOut(page, { keepsOwnLocked: true })).rejects.toMatchObject({ name: 'StorageFault' })
    storage.trouble = 'none'
    await openPage().finishErase()
    expect(await idsAfterSignIn('ada')).toEqual(['app-of-ada'])
  })

  it('erases each of two applicants whose log-outs failed, and the one whom an older release has marked', async () => {
    const beside = openPage()
    await signInAndWrite(beside, 'carl')
    await signInAndWrite(openPage(), 'dora')
    // The older release saved a single mark, in this form.
    device.saveText(pendingEraseKey, 'applicant dora')
    storage.trouble = 'connection stays lost'
    for (const page of [store, beside]) expect(await logOut(page)).toBe(true)
    storage.trouble = 'none'
    await openPage().finishErase()
    expect(await ownersOfRows()).toEqual(['ben'])
    expect(device.readText(pendingEraseKey)).toBeUndefined()
  })

  it('erases the applicant at the log-out of the next one, which locks the drafts of others', async () => {
    const next = openPage()
    await signInAndWrite(next, 'carl')
    storage.trouble = 'connection stays lost'
    await logOut(store)
    storage.trouble = 'none'
    endPause()
    await next.lockedDrafts.lockDraftsOfOtherApplicants()
    expect(await logOut(next)).toBe(true)
    expect(await ownersOfRows()).toEqual(['ben'])
  })

  it('never erases the previous applicant when the random key of the next one could not be read (D67)', async () => {
    // The server has refused Ada's session: her draft stays.
    await store.clearKey()
    storage.trouble = 'connection stays lost'
    await expect(signInWithoutKey(store, 'carl', 'memory')).rejects.toMatchObject({ name: 'StorageFault' })
    storage.trouble = 'disk is full'
    endPause()
    expect(await logOut(store)).toBe(true)
    storage.trouble = 'none'
    expect(await idsAfterSignIn('ada')).toEqual(['app-of-ada'])
  })
})

describe('a late log-out of a shared device whose storage fails', () => {
  const troubles = ['disk is full', 'connection stays lost'] as const

  describe.each(troubles)('%s', trouble => {
    /** Logs out while the storage has this trouble; then the next start finishes what is marked. */
    async function logOutLate(page: Store) {
      storage.trouble = trouble
      expect(await logOut(page)).toBe(true)
      storage.trouble = 'none'
      endPause()
      await openPage().finishErase()
      expect(device.readText(pendingEraseKey)).toBeUndefined()
    }

    it('keeps a draft that another tab has locked, with its earlier answers, and erases the others (D31)', async () => {
      await writeAgain(store, 'app-of-ada')
      await store.drafts.update('sent', () => newDraft({ values: firstPassport, tab: 'NicData' }))
      await writeAgain(store, 'sent')
      const beside = openPage()
      await signIn(beside, 'ada')
      await store.lockedDrafts.lock(['app-of-ada'])
      await logOutLate(beside)
      expect((await ownersOfRows()).toSorted()).toEqual(['ada', 'ada', 'ben'])
      const next = openPage()
      await signIn(next, 'ada')
      expect((await next.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-of-ada'])
      expect(await next.revisions('app-of-ada')).toHaveLength(1)
    })

    it('erases no rows when another tab has begun another session of the applicant (D31)', async () => {
      const late = openPage('session 1')
      await signIn(late, 'ada')
      device.saveText(sessionIdKey, 'session 2')
      const next = openPage('session 2')
      await signInAndWrite(next, 'ada')
      await logOutLate(late)
      expect((await next.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-of-ada'])
    })

    it('erases a draft that another tab has locked when the account is deleted (D112)', async () => {
      const page = openPage('session 1')
      await signIn(page, 'ada')
      await store.lockedDrafts.lock(['app-of-ada'])
      device.saveText(pendingEraseKey, 'session 1')
      storage.trouble = 'connection stays lost'
      await expect(page.erase()).rejects.toMatchObject({ name: 'StorageFault' })
      endPause()
      await logOutLate(page)
      expect(await ownersOfRows()).toEqual(['ben'])
    })
  })

  it('keeps the random key that opens a draft that another tab has locked (D67)', async () => {
    await signInWithoutKey(openPage(), 'carl', 'device')
    const [late, beside, next] = [openPage(), openPage(), openPage()]
    await signInWithoutKey(late, 'carl', 'memory')
    await write(late, 'carl')
    await signInWithoutKey(beside, 'carl', 'memory')
    await beside.lockedDrafts.lock(['app-of-carl'])
    storage.trouble = 'disk is full'
    expect(await logOut(late)).toBe(true)
    storage.trouble = 'none'
    await signInWithoutKey(next, 'carl', 'memory')
    expect((await next.drafts.all())[0]?.draft.values).toEqual(firstPassport)
  })
})
