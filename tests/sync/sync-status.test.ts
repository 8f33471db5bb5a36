import { expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import type { SessionState } from '#session/session.ts'
import { newDraft } from '#store/draft.ts'
import type { Drafts } from '#store/drafts.ts'
import { isOnlyOnDevice } from '#sync/check-synced.ts'
import { createSyncStatusSource } from '#sync/sync-status.ts'
import { readClaims } from '#session/claims.ts'
import { makeToken } from '#support/data/access-token.ts'

it('clears the statuses at the log-out even when the server does not answer (D30)', async () => {
  const session = createSwitchedSession()
  let server: 'answers' | 'hangs' = 'answers'
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => oneDraft,
    session,
    acceptsDrafts: () => (server === 'answers' ? Promise.resolve(true) : new Promise(() => {})),
  })
  session.change(signedIn())
  await expect.poll(() => source.list()).toHaveLength(1)
  server = 'hangs'
  session.change({ kind: 'signed-out' })
  await flushPromises()
  expect(source.list()).toEqual([])
  expect(source.status('7').kind).toBe('none')
})

it('reads a draft as not sent without waiting for a server that does not answer (D31)', async () => {
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => oneDraft,
    session: createSwitchedSession(),
    acceptsDrafts: () => new Promise(() => {}),
  })
  const status = await source.read('7', { waitsForServer: false })
  expect([status.kind, isOnlyOnDevice(status)]).toEqual(['saved', true])
})

it('follows a draft that another tab moves to the server’s id (D33)', async () => {
  let moved = new Map<string, string>()
  const listeners = new Set<() => void>()
  let moveCount = 0
  const drafts: Drafts = {
    ...oneDraft,
    all: async () => [{ applicationId: moved.get('local-1') ?? 'local-1', draft }],
    moves: async () => moved,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const session = createSwitchedSession()
  const source = createSyncStatusSource({
    onMoved: () => (moveCount += 1),
    openDrafts: async () => drafts,
    session,
    acceptsDrafts: async () => true,
  })
  session.change(signedIn())
  await expect.poll(() => source.status('local-1').kind).toBe('unsent')
  expect([source.serverIdOf('local-1'), moveCount]).toEqual(['local-1', 0])
  let renderCount = 0
  source.subscribe(() => (renderCount += 1))
  moved = new Map([['local-1', '5']])
  for (const listener of listeners) listener()
  await expect.poll(() => source.serverIdOf('local-1')).toBe('5')
  expect(source.status('5').kind).toBe('unsent')
  expect([moveCount, renderCount]).toEqual([1, 1])
})

const draft = newDraft({ values: emptyForm(), tab: 'GeneralData' })

const oneDraft: Drafts = {
  read: async () => draft,
  all: async () => [{ applicationId: '7', draft }],
  update: async () => ({ kind: 'saved', draft }),
  move: async () => 'moved',
  resolveId: async id => id,
  moves: async () => new Map(),
  unsavedIds: () => [],
  watch: () => () => undefined,
}

function signedIn(): SessionState {
  const claims = readClaims(makeToken())
  if (!claims) throw new Error('the token cannot be read')
  return { kind: 'signed-in', claims }
}

function createSwitchedSession() {
  const listeners = new Set<() => void>()
  let state: SessionState = { kind: 'signed-out' }
  return {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    change(next: SessionState) {
      state = next
      for (const listener of listeners) listener()
    },
  }
}

async function flushPromises(): Promise<void> {
  await new Promise<void>(resolve => {
    setImmediate(resolve)
  })
}
