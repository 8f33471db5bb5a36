import { expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import type { SessionState } from '#session/session.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { Drafts, FoundDraft } from '#store/drafts.ts'
import { isOnlyOnDevice } from '#sync/check-synced.ts'
import { createSyncStatusSource, syncStatusOf } from '#sync/sync-status.ts'
import { createSignedInState } from '#support/fixtures/signed-in-sync.ts'
import { flushPromises } from '#support/settle.ts'
import { firstPassport } from '#support/data/applicants.ts'

it('clears the statuses at the log-out even when the server does not answer (D30)', async () => {
  const session = createSwitchedSession()
  let server: 'answers' | 'hangs' = 'answers'
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => oneDraft,
    session,
    acceptsDrafts: () => (server === 'answers' ? Promise.resolve(true) : new Promise(() => {})),
  })
  session.change(createSignedInState())
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

it('follows a draft that another tab moves to the server’s id (D33, D135)', async () => {
  let moved = new Map<string, string>()
  const listeners = new Set<() => void>()
  let moveCount = 0
  let readCount = 0
  const others: { applicationId: string; draft: Draft }[] = []
  const drafts: Drafts = {
    ...oneDraft,
    findAll: async () => ({
      found: [{ applicationId: moved.get('local-1') ?? 'local-1', draft }, ...others],
    }),
    moves: async () => ((readCount += 1), moved),
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
  session.change(createSignedInState())
  expect(source.serverIdOf('local-1')).toBe('local-1')
  await expect.poll(() => source.status('local-1').kind).toBe('unsent')
  readCount = 0
  for (const listener of listeners) listener()
  await flushPromises()
  // A change of the answers moves no draft: the moves are not read again.
  expect([source.serverIdOf('local-1'), moveCount, readCount]).toEqual(['local-1', 0, 0])
  let renderCount = 0
  source.subscribe(() => (renderCount += 1))
  moved = new Map([['local-1', '5']])
  for (const listener of listeners) listener()
  await expect.poll(() => source.serverIdOf('local-1')).toBe('5')
  expect(source.status('5').kind).toBe('unsent')
  expect([moveCount, renderCount, readCount]).toEqual([1, 1, 1])
  // Another draft begins, and none has moved.
  others.push({ applicationId: 'local-2', draft })
  for (const listener of listeners) listener()
  await expect.poll(() => source.list()).toHaveLength(2)
  expect([moveCount, readCount]).toEqual([1, 2])
  // The next applicant may have drafts under the same ids.
  session.change({ kind: 'signed-out' })
  await flushPromises()
  session.change(createSignedInState())
  await expect.poll(() => readCount).toBe(3)
})

it('replaces the status of a draft that was just saved, and of no other one', async () => {
  const session = createSwitchedSession()
  const other = newDraft({ values: emptyForm(), tab: 'NicData' })
  const drafts: Drafts = {
    ...oneDraft,
    findAll: async () => ({
      found: [
        { applicationId: '7', draft },
        { applicationId: '8', draft: other },
      ],
    }),
  }
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => drafts,
    session,
    acceptsDrafts: async () => true,
  })
  session.change(createSignedInState())
  await expect.poll(() => source.list()).toHaveLength(2)
  let renderCount = 0
  source.subscribe(() => (renderCount += 1))
  const before = source.list()
  source.setDraft('8', other)
  expect([source.list(), renderCount]).toEqual([before, 0])
  source.setDraft('8', { ...other, stuck: { kind: 'gone' } })
  expect([source.status('7'), renderCount]).toEqual([before[0]?.status, 1])
  expect(source.status('8').kind).toBe('stuck')
  source.setDraft('7', { ...draft, stuck: { kind: 'not-allowed' } })
  expect(source.list().map(({ status }) => status.kind)).toEqual(['stuck', 'stuck'])
  expect(source.status('9').kind).toBe('none')
})

it('reads the store again when a session starts, and not without one', async () => {
  let opened = 0
  const session = createSwitchedSession()
  createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => {
      opened += 1
      return oneDraft
    },
    session,
    acceptsDrafts: async () => true,
  })
  await flushPromises()
  expect(opened).toBe(0)
  session.change(createSignedInState())
  await expect.poll(() => opened).toBe(2)
  // The store was opened once to be watched and once to be read. A later session only reads it.
  session.change(createSignedInState())
  await flushPromises()
  expect(opened).toBe(3)
})

it('ignores a read that ends after the log-out, and answers all requests during a read by one further read (D30)', async () => {
  const session = createSwitchedSession()
  const answers: ((accepts: boolean) => void)[] = []
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => oneDraft,
    session,
    acceptsDrafts: () =>
      new Promise(resolve => {
        answers.push(resolve)
      }),
  })
  session.change(createSignedInState())
  await expect.poll(() => answers.length).toBe(1)
  session.change({ kind: 'signed-out' })
  await flushPromises()
  answers[0]?.(true)
  await flushPromises()
  expect(source.list()).toEqual([])

  session.change(createSignedInState())
  await expect.poll(() => answers.length).toBe(2)
  session.change(createSignedInState())
  session.change(createSignedInState())
  await flushPromises()
  expect(answers).toHaveLength(2)
  answers[1]?.(true)
  await expect.poll(() => answers.length).toBe(3)
  // The result of the old read is not shown.
  expect(source.list()).toEqual([])
  answers[2]?.(true)
  await expect.poll(() => source.list()).toHaveLength(1)
  await flushPromises()
  expect(answers).toHaveLength(3)
})

it('reads for the next session while the read of the last one still hangs (D30)', async () => {
  const session = createSwitchedSession()
  const answers: ((accepts: boolean) => void)[] = []
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => oneDraft,
    session,
    acceptsDrafts: () =>
      new Promise(resolve => {
        answers.push(resolve)
      }),
  })
  session.change(createSignedInState())
  await expect.poll(() => answers.length).toBe(1)
  session.change({ kind: 'signed-out' })
  await flushPromises()
  session.change(createSignedInState())
  await flushPromises()
  expect(answers).toHaveLength(2)
  answers[0]?.(true)
  await flushPromises()
  expect(source.list()).toEqual([])
  // The end of the old read does not start another one beside the second.
  session.change(createSignedInState())
  await flushPromises()
  expect(answers).toHaveLength(2)
  answers[1]?.(true)
  await expect.poll(() => answers.length).toBe(3)
  answers[2]?.(true)
  await expect.poll(() => source.list()).toHaveLength(1)
})

it('shows a draft as unsent after the next read when the server now accepts drafts (D5)', async () => {
  const session = createSwitchedSession()
  let accepts = false
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => oneDraft,
    session,
    acceptsDrafts: async () => accepts,
  })
  session.change(createSignedInState())
  await expect.poll(() => source.status('7').kind).toBe('saved')
  accepts = true
  session.change(createSignedInState())
  await expect.poll(() => source.status('7').kind).toBe('unsent')
})

it('keeps the list empty while the store cannot be opened, and says so (D74)', async () => {
  const session = createSwitchedSession()
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: () => Promise.reject(new Error('The store is locked')),
    session,
    acceptsDrafts: async () => true,
  })
  session.change(createSignedInState())
  await flushPromises()
  expect([source.list(), source.listFault()]).toEqual([[], 'lost'])
  await expect(source.read('7')).rejects.toThrow('locked')
})

it('follows the store from the next change of the session on, when its code did not load at first (D74)', async () => {
  const session = createSwitchedSession()
  let isLoaded = false
  const otherTab = { change: () => {} }
  let found: ({ applicationId: string } & FoundDraft)[] = []
  const drafts: Drafts = {
    ...oneDraft,
    findAll: async () => ({ found }),
    watch(listener) {
      otherTab.change = listener
      return () => {}
    },
  }
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: () => (isLoaded ? Promise.resolve(drafts) : Promise.reject(new Error('No connection'))),
    session,
    acceptsDrafts: async () => true,
  })
  session.change(createSignedInState())
  await flushPromises()
  isLoaded = true
  session.change(createSignedInState())
  await flushPromises()
  found = [{ applicationId: '7', draft }]
  otherTab.change()
  await expect.poll(() => source.list()).toHaveLength(1)
})

it.each([
  [true, 'unsent'],
  [false, 'saved'],
  [undefined, 'saved'],
] as const)('reads one draft when the server accepts drafts: %s (D30)', async (accepts, kind) => {
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => oneDraft,
    session: createSwitchedSession(),
    acceptsDrafts: async () => accepts,
  })
  expect((await source.read('7')).kind).toBe(kind)
})

const values = { ...firstPassport, surname: 'Ngo' }
const serverForm = { version: 1, additionalData: '', values, at: 5 }
const atServer = newDraft({ values, tab: 'PersonData', base: serverForm })
const changed = { ...atServer, values: { ...values, surname: 'Mbock' } }
const write = { key: 'k', values, complete: false, baseVersion: 1, additionalData: '' }
const tooLong = { ...values, travelDestination: 'é'.repeat(101) }

it.each<[string, Draft | undefined, boolean, object]>([
  ['that does not exist', undefined, true, { kind: 'none' }],
  ['that the server has', atServer, true, { kind: 'sent', at: 5 }],
  ['that the server has, after a failed read', { ...atServer, attempts: 2 }, true, { kind: 'sent', at: 5 }],
  ['that was changed', changed, true, { kind: 'unsent' }],
  ['that was changed, when the server accepts no drafts', changed, false, { kind: 'saved' }],
  ['that failed once', { ...changed, attempts: 1 }, true, { kind: 'waiting' }],
  ['that is being sent', { ...changed, sending: write }, true, { kind: 'sending' }],
  ['that is being sent again', { ...changed, sending: write, attempts: 1 }, true, { kind: 'waiting' }],
  ['that was submitted', { ...atServer, submitted: true }, false, { kind: 'unsent' }],
  ['that the server has not created yet', { ...atServer, create: { key: 'k' } }, false, { kind: 'unsent' }],
  [
    'that was refused',
    { ...changed, stuck: { kind: 'gone' } },
    true,
    { kind: 'stuck', stuck: { kind: 'gone' } },
  ],
  [
    'with an answer that is too long',
    { ...atServer, values: tooLong },
    true,
    { kind: 'stuck', stuck: { kind: 'unfit', fields: ['travelDestination'] } },
  ],
  [
    'that another device changed',
    { ...changed, theirs: { ...serverForm, version: 2, values: { ...values, surname: 'Essomba' } } },
    true,
    { kind: 'conflict', conflicts: [{ fields: ['surname'] }], merged: { surname: 'Mbock' } },
  ],
])('the status of a draft %s (D30)', (_, each, accepts, status) => {
  expect(syncStatusOf(each, accepts)).toMatchObject(status)
  expect(syncStatusOf(each, accepts)).toMatchObject(each ? { draft: each } : {})
})

it.each<[string, number | undefined, number | undefined, boolean]>([
  ['an older version than before', 1, 2, true],
  ['a newer version than before', 3, 2, false],
  ['no version, where it had one', undefined, 2, false],
  ['its first version', 1, undefined, false],
])('a conflict says whether a server was restored that has %s (D62)', (_, version, before, isRestored) => {
  const theirs = { ...serverForm, version, values: { ...values, surname: 'Essomba' } }
  const each = { ...changed, base: { ...serverForm, version: before }, theirs }
  expect(syncStatusOf(each, true)).toMatchObject({ kind: 'conflict', isRestored })
})

it('reads all drafts again on request, or when a read finds that the storage fails or works again (D74)', async () => {
  const session = createSwitchedSession()
  let fault: FoundDraft['fault']
  let readCount = 0
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => ({
      ...oneDraft,
      find: async () => ({ draft: undefined, fault }),
      async findAll() {
        readCount += 1
        return { found: [], fault }
      },
    }),
    session,
    acceptsDrafts: async () => true,
  })
  session.change(createSignedInState())
  await flushPromises()
  const readsOf = async (act: () => unknown) => {
    const before = readCount
    await act()
    await flushPromises()
    return readCount - before
  }
  expect(await readsOf(() => source.read('7'))).toBe(0)
  expect(await readsOf(() => source.readAgain())).toBe(1)
  fault = 'lost'
  expect(await readsOf(() => source.read('7'))).toBe(1)
  fault = undefined
  expect(await readsOf(() => source.read('7'))).toBe(1)
  expect(await readsOf(() => source.read('7'))).toBe(0)
})

it.each<[string, Draft | undefined]>([
  ['a draft that the server has', atServer],
  ['no draft', undefined],
])('an unreadable status has the draft that the page knows, if any: %s (D74)', async (_, known) => {
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => ({ ...oneDraft, find: async () => ({ draft: known, fault: 'lost' }) }),
    session: createSwitchedSession(),
    acceptsDrafts: async () => true,
  })
  const status = await source.read('7')
  expect(status).toStrictEqual(
    known ? { kind: 'unreadable', fault: 'lost', draft: known } : { kind: 'unreadable', fault: 'lost' },
  )
})

it.each<[string, FoundDraft, string]>([
  ['nothing', { draft: undefined, fault: 'lost' }, 'unreadable'],
  ['a draft that the server has', { draft: atServer, fault: 'hangs' }, 'unreadable'],
  ['a changed draft', { draft: changed, fault: 'lost' }, 'unsent'],
  ['a draft whose row cannot be decrypted', { draft: undefined, fault: 'unreadable' }, 'unreadable'],
])('the status when the storage fails and the page knows %s (D74)', async (_, found, kind) => {
  const session = createSwitchedSession()
  let isFailing = true
  const source = createSyncStatusSource({
    onMoved: () => undefined,
    openDrafts: async () => ({
      ...oneDraft,
      find: async () => (isFailing ? found : {}) as FoundDraft,
      findAll: async () => (isFailing ? { found: [], fault: 'lost' } : { found: [] }),
    }),
    session,
    acceptsDrafts: async () => true,
  })
  session.change(createSignedInState())
  expect((await source.read('7')).kind).toBe(kind)
  // A draft that is not in the list may be there.
  await expect.poll(() => source.status('9').kind).toBe('unreadable')
  expect(source.listFault()).toBe('lost')
  let renderCount = 0
  source.subscribe(() => (renderCount += 1))
  source.readAgain()
  await source.read('7')
  await flushPromises()
  expect(renderCount, 'the same status is the same object').toBe(0)
  isFailing = false
  expect((await source.read('7')).kind).toBe('none')
  await expect.poll(() => source.status('9').kind).toBe('none')
  expect([source.listFault(), renderCount]).toEqual([undefined, 1])
})

const draft = newDraft({ values: emptyForm(), tab: 'GeneralData' })

const oneDraft: Drafts = {
  find: async () => ({ draft }),
  findAll: async () => ({ found: [{ applicationId: '7', draft }] }),
  read: async () => draft,
  all: async () => [{ applicationId: '7', draft }],
  update: async () => ({ kind: 'saved', draft }),
  move: async () => 'moved',
  resolveId: async id => id,
  moves: async () => new Map(),
  unsavedIds: () => [],
  watch: () => () => undefined,
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
