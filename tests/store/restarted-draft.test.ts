import { beforeEach, describe, expect, it } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import { openDatabase } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import type { Sync } from '#sync/engine.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createOfflineSync } from '#support/fixtures/signed-in-sync.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

let store: Store
let sync: Sync
const device = createFakeDevice()

beforeEach(async () => {
  store = createStoreOn(openDatabase(crypto.randomUUID()), device, mergeScreenForm)
  await store.setKey({ applicantId: 'ada', draftKey: 'secret of ada' }, 'device')
  sync = createOfflineSync({ device, openDrafts: async () => store.drafts })
})

describe('a new application with the answers of one that the server has lost (D63)', () => {
  it('gets no answer that is typed in the lost application after the server knows that application again', async () => {
    const lost = withSurname('Ngo')
    await store.drafts.update('app-1', () => lost)
    const restarted = await sync.restart('app-1', lost)
    // The server creates the new application; later it is restored and knows the old one again.
    await store.drafts.move(restarted ?? '', 'app-2', draft => draft)
    const typed = { values: withSurname('Mbock').values, tab: 'PersonData', lastKnown: lost }
    expect(await sync.save('app-1', typed)).toMatchObject({ kind: 'saved' })
    expect(await surnames()).toEqual({ 'app-1': 'Mbock', 'app-2': 'Ngo' })
  })

  it('is started once when the second of two presses reads the lost application after the first has moved it', async () => {
    const lost = withSurname('Ngo')
    await store.drafts.update('app-1', () => lost)
    let release: () => void = doNothing
    const moved = new Promise<void>(resolve => (release = resolve))
    const { drafts } = store
    let updates = 0
    store.drafts = {
      ...drafts,
      async update(...args) {
        updates += 1
        if (updates === 2) await moved
        return drafts.update(...args)
      },
    }
    const first = sync.restart('app-1', lost)
    const second = sync.restart('app-1', lost)
    const id = (await first) ?? ''
    release()
    expect(await second).toBe(id)
    expect(await surnames()).toEqual({ [id]: 'Ngo' })
  })
})

it('starts no application for the next applicant, when the engine loads only after their sign-in (D31, D33, D63)', async () => {
  await store.setKey({ applicantId: 'grace', draftKey: 'secret of grace' }, 'device')
  expect(await sync.startLocal('creation-key', 'ada')).toBeUndefined()
  expect(await sync.restart('app-1', withSurname('Ngo'), 'ada')).toBeUndefined()
  expect(await store.drafts.all()).toEqual([])
})

describe('a form that is still open under its local id (D33)', () => {
  it('does not create the application again after another tab has sent and confirmed it', async () => {
    const id = (await sync.startLocal('creation-key')) ?? ''
    const opened = await store.drafts.read(id)
    if (!opened) throw new Error('The draft is missing')
    await store.drafts.move(id, 'app-1', draft => draft)
    // The form was confirmed, so its draft is removed.
    await sync.discard('app-1')
    await sync.save(id, { values: withSurname('Mbock').values, tab: 'PersonData', lastKnown: opened })
    const all = await store.drafts.all()
    expect(
      all.map(({ applicationId, draft: { values, create } }) => [applicationId, values.surname, create]),
    ).toEqual([['app-1', 'Mbock', undefined]])
  })
})

function withSurname(surname: string): Draft {
  return newDraft({ values: { ...firstPassport, surname }, tab: 'PersonData' })
}

async function surnames(): Promise<Record<string, string>> {
  const all = await store.drafts.all()
  return Object.fromEntries(all.map(({ applicationId, draft }) => [applicationId, draft.values.surname]))
}
