import { expect, it } from 'vitest'
import type { Call } from '#api/client.ts'
import { emptyForm } from '#contract/application.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { doNothing } from '#device/do-nothing.ts'
import { readClaims } from '#session/claims.ts'
import type { SessionState } from '#session/session.ts'
import { newDraft } from '#store/draft.ts'
import { createSync } from '#sync/engine.ts'
import { makeToken } from '#support/data/access-token.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { createMemoryDrafts } from './simulation.ts'

const values = { ...emptyForm(), surname: 'Ngo' }
const known = { version: 4, additionalData: '' }

it('D33 merges a draft that was started offline with an open application whose Submit waits for an answer without a fault', async () => {
  const faulty = {
    values,
    tab: 'PersonData',
    base: { ...known, values, at: 0 },
    submitted: true,
    faulty: true,
  }
  const started = {
    values: { ...emptyForm(), givenName: 'Ada' },
    tab: 'PersonData',
    create: { key: 'key-1' },
  }
  const stored = new Map([
    ['app-1', newDraft(faulty)],
    ['local-1', newDraft(started)],
  ])
  const claims = readClaims(makeToken())
  if (!claims) throw new Error('the token cannot be read')
  const state: SessionState = { kind: 'signed-in', claims }
  const device = createFakeDevice()
  createSync({
    device,
    random: () => 1,
    openDrafts: async () => createMemoryDrafts(stored, new Map()),
    // The fake has the calls of the sync only.
    call: call as unknown as Call,
    session: { state: () => state, token: () => 'token', subscribe: () => doNothing },
    connectivity: { isUnreachable: () => false, subscribe: () => doNothing },
    acceptsDrafts: async () => true,
    serverEpoch: async () => undefined,
    digestOfForm,
    onEvent: doNothing,
    setOnlyInPage: doNothing,
  })
  for (let minute = 0; minute < 60; minute += 1) await device.advance(60_000)
  expect([...stored.keys()]).toEqual(['app-1'])
  expect(stored.get('app-1')).toMatchObject({ submitted: true, faulty: true })
})

/** A server that creates the application that it has, and answers nothing else. */
async function call(name: string) {
  if (name === 'createApplication')
    return { ok: true, value: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
  return new Promise(doNothing)
}
