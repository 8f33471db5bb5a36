import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyForm, type FormValues } from '#contract/application.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { createDrafts, type Drafts } from '#store/drafts.ts'
import type { DatabaseRunner } from '#store/database-runner.ts'
import { deriveKey, encryptJson, decryptJson } from '#store/encryption.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

let database: Database
let drafts: Drafts
let clock: number

beforeEach(() => {
  database = openDatabase(crypto.randomUUID())
  clock = 1_000
  drafts = open(database)
})

afterEach(async () => {
  await database.delete()
})

describe('a draft', () => {
  it('is read back unchanged, with its tab', async () => {
    await signIn('ada')
    expect(await write('app-1', { values: minorWithRepresentative, tab: 'ParentData' })).toMatchObject({
      kind: 'saved',
    })
    expect(await drafts.read('app-1')).toMatchObject({
      values: minorWithRepresentative,
      tab: 'ParentData',
      savedAt: 1_000,
    })
  })

  it('keeps incomplete answers letter for letter', async () => {
    await signIn('ada')
    const values: FormValues = {
      ...emptyForm(),
      surname: '  Ngo  ',
      nicDateOfIssuance: '2020-5-',
      travelDestination: 'é'.repeat(150),
    }
    await write('app-1', { values, tab: 'GeneralData' })
    expect((await drafts.read('app-1'))?.values).toEqual(values)
  })

  it('is the last one written', async () => {
    await signIn('ada')
    await write('app-1', { values: firstPassport, tab: 'GeneralData' })
    clock = 2_000
    await write('app-1', { values: { ...firstPassport, surname: 'Mbock' }, tab: 'PersonData' })
    const read = await drafts.read('app-1')
    expect([read?.values.surname, read?.tab, read?.savedAt]).toEqual(['Mbock', 'PersonData', 2_000])
  })

  it('belongs to one application', async () => {
    await signIn('ada')
    await write('app-1', { values: firstPassport, tab: 'GeneralData' })
    expect(await drafts.read('app-2')).toBeUndefined()
  })

  it('survives a restart of the browser', async () => {
    await signIn('ada')
    await write('app-1', { values: firstPassport, tab: 'NicData' })
    const name = database.name
    database.close()
    database = openDatabase(name)
    expect((await open(database).read('app-1'))?.values).toEqual(firstPassport)
  })

  it('is deleted when the change returns undefined', async () => {
    await signIn('ada')
    await write('app-1', { values: firstPassport, tab: 'NicData' })
    await remove('app-1')
    expect(await drafts.read('app-1')).toBeUndefined()
    expect(await database.drafts.count()).toBe(0)
  })
})

describe('a draft that has moved (D33)', () => {
  it('can be written again under its first id after it has moved back to this id and was deleted', async () => {
    await signIn('ada')
    await write('app-1', { values: firstPassport, tab: 'PersonData' })
    await drafts.move('app-1', 'local-1', draft => draft)
    await drafts.move('local-1', 'app-1', draft => draft)
    await remove('app-1')
    const written = await write('app-1', { values: firstPassport, tab: 'NicData' })
    expect(written).toMatchObject({ kind: 'saved' })
    expect((await drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-1'])
  })
})

describe('a draft whose applicant signs out before it moves to the id of the server (D33)', () => {
  it('has not moved, and is read under its first id after the next sign-in', async () => {
    await signIn('ada')
    await write('local-1', { values: firstPassport, tab: 'PersonData' })
    await database.keys.clear()
    expect(await drafts.move('local-1', 'app-1', draft => draft)).toBe('absent')
    await signIn('ada')
    expect(await drafts.resolveId('local-1')).toBe('local-1')
    expect((await drafts.read('local-1'))?.values).toEqual(firstPassport)
  })
})

describe('a draft that is read under its first id after it has moved (D33)', () => {
  it('is found under the id of the server', async () => {
    await signIn('ada')
    await write('local-1', { values: firstPassport, tab: 'PersonData' })
    await drafts.move('local-1', 'app-1', draft => draft)
    expect((await drafts.read('local-1'))?.values).toEqual(firstPassport)
  })
})

describe('S95 a draft on a shared phone', () => {
  beforeEach(async () => {
    await signIn('ada')
    await write('app-1', { values: firstPassport, tab: 'PersonData' })
  })

  it('is unreadable in the database', async () => {
    const rows = await database.drafts.toArray()
    expect(await encryptedTexts()).not.toContain(firstPassport.surname)
    expect(JSON.stringify(rows)).not.toContain(firstPassport.surname)
  })

  it('is encrypted differently at each write, so that equal answers do not look equal', async () => {
    const first = await encryptedTexts()
    await write('app-1', { values: firstPassport, tab: 'PersonData' })
    expect(await encryptedTexts()).not.toBe(first)
  })

  it('cannot be read or written after log-out', async () => {
    await database.keys.clear()
    expect(await drafts.read('app-1')).toBeUndefined()
    expect(await write('app-1', { values: firstPassport, tab: 'PersonData' })).toEqual({
      kind: 'not-saved',
      reason: 'refused',
      draft: undefined,
    })
  })

  it('cannot be read by the next applicant', async () => {
    await signIn('bela')
    expect(await drafts.read('app-1')).toBeUndefined()
  })

  it('cannot be read under its owner’s name with another key', async () => {
    await signIn('ada', 'another secret')
    expect(await drafts.read('app-1')).toBeUndefined()
  })

  it('cannot be decrypted when it is copied into another row', async () => {
    const [row] = await database.drafts.toArray()
    if (!row) throw new Error('the draft was not saved')
    await database.drafts.put({ ...row, applicationId: 'app-2' })
    expect(await drafts.read('app-2')).toBeUndefined()
  })

  it('is readable when the same applicant signs in again', async () => {
    await database.keys.clear()
    await signIn('ada')
    expect((await drafts.read('app-1'))?.values).toEqual(firstPassport)
  })
})

describe('a store', () => {
  it('reads no draft from a damaged row', async () => {
    await signIn('ada')
    await write('app-1', { values: firstPassport, tab: 'GeneralData' })
    const [row] = await database.drafts.toArray()
    if (!row) throw new Error('the draft was not saved')
    const text = row.sealed.text.slice(0, -1)
    await database.drafts.put({ ...row, sealed: { ...row.sealed, text } })
    expect(await drafts.read('app-1')).toBeUndefined()
  })

  it.each([Number.NaN, 1e300, 'x'])(
    'reads a damaged time of a draft as 0, because no page can show it: %j',
    async damaged => {
      await signIn('ada')
      await write('app-1', { values: firstPassport, tab: 'GeneralData' })
      await database.drafts.toCollection().modify({ savedAt: damaged } as object)
      drafts = open(database)
      const draft = await drafts.read('app-1')
      expect(draft?.savedAt).toBe(0)
      expect(draft?.values).toEqual(firstPassport)
    },
  )

  it('adds new fields to an older draft', async () => {
    await signIn('ada')
    const key = await deriveKey('secret of ada', 'ada')
    const sealed = await encryptJson(key, { surname: 'Ngo', village: 'Bot-Makak' }, 'ada/app-1')
    await database.drafts.put({
      applicantId: 'ada',
      applicationId: 'app-1',
      sealed,
      tab: 'PersonData',
      savedAt: 1,
      revision: 0,
    })
    expect((await drafts.read('app-1'))?.values).toEqual({ ...emptyForm(), surname: 'Ngo' })
  })
})

describe('an encrypted value', () => {
  it('is decrypted only with its own key and context', async () => {
    const key = await deriveKey('secret', 'ada')
    const sealed = await encryptJson(key, { a: 'é' }, 'here')
    expect(await decryptJson({ key }, sealed, 'here')).toEqual({ a: 'é' })
    expect(await decryptJson({ key }, sealed, 'there')).toBeUndefined()
    expect(await decryptJson({ key: await deriveKey('secret', 'bela') }, sealed, 'here')).toBeUndefined()
    expect(key.extractable).toBe(false)
  })
})

const runOnDatabase: DatabaseRunner = async work => work()

function open(opened: Database): Drafts {
  const owner = () => opened.keys.get('current')
  return createDrafts({
    device: createFakeDevice(),
    database: opened,
    runOnDatabase,
    mergeDrafts: mergeScreenForm,
    applicantKey: async () => owner(),
    mayWrite: () => true,
    now: () => clock,
  })
}

/** The encrypted bytes of all drafts, as characters. */
async function encryptedTexts(): Promise<string> {
  const rows = await database.drafts.toArray()
  return rows.map(({ sealed }) => new TextDecoder('latin1').decode(sealed.text)).join('')
}

async function signIn(applicantId: string, secret = `secret of ${applicantId}`) {
  await database.keys.put({ id: 'current', applicantId, key: await deriveKey(secret, applicantId) })
}

function write(id: string, { values, tab }: { values: FormValues; tab: string }) {
  const typed = newDraft({ values, tab })
  return drafts.update(id, draft => (draft ? { ...draft, values, tab } : typed), {
    kind: 'typed',
    lastKnown: typed,
  })
}

function remove(id: string) {
  return drafts.update(id, () => undefined)
}
