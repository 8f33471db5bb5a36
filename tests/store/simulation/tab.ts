import { readStored } from '#contract/stored-form.ts'
import type { ApplicationData } from '#contract/application.ts'
import type { Call } from '#api/client.ts'
import type { SessionState } from '#session/session.ts'
import { openDatabase } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { Drafts } from '#store/drafts.ts'
import { createStoreOn } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { createSync, type SyncEvent } from '#sync/engine.ts'
import { digestOf } from './fake-server.ts'
import { createAsk, refreshToken } from './line.ts'
import { type OpenForm, openForm } from './open-form.ts'
import { draftsOf, revisionsOf } from './oracle.ts'
import type { Phone } from './phone.ts'
import { createTabStorage } from './phone-storage.ts'
import type { TabName } from './story.ts'
import { createTabDevice } from './tab-device.ts'
import { ada } from './virtual-platform.ts'
import type { World } from './world.ts'

export type Tab = ReturnType<typeof openTab>

/** Opens the portal in a tab: the real store and the real engine over the storage of the phone. */
export function openTab(name: TabName, phone: Phone, world: World) {
  const { clock, chance, server, reportedAnswers, shownGroups } = world
  let isAlive = true
  let form: OpenForm | undefined
  let doing = Promise.resolve()
  const identity = {}
  const device = createTabDevice(phone, clock, { tab: identity, isAlive: () => isAlive })
  const storage = createTabStorage(phone.disk, clock)
  storage.failing.trouble = phone.trouble()
  const database = openDatabase(phone.disk.name, storage.factory)
  const store = createStoreOn(database, device, mergeScreenForm)
  const sessionListeners = new Set<() => void>()
  const stopWatching: (() => void)[] = []
  const guard = createGuard(() => isAlive)
  // A page that starts without a connection reads the key from the storage.
  const readsKey = phone.disk.hasKey() && chance.below(2) === 0
  let ready = phone.signedIn && !readsKey ? setKey() : Promise.resolve()

  function setKey() {
    return guard(store.setKey(ada, 'device'))
  }

  async function refresh(): Promise<void> {
    await clock.sleep(1_000)
    if (!isAlive || !phone.signedIn || phone.token === phone.acceptedToken) return
    if (await refreshToken({ phone, clock, chance })) return world.emitSession(phone)
    await clock.sleep(4_000)
    return refresh()
  }

  const ask = createAsk({ phone, clock, chance, server, trail: world.trail, onExpired: () => void refresh() })

  const call = asCall((endpoint, input, key) => {
    if (endpoint === 'createApplication' && world.oracle.deletions.isDeletedKey(key))
      world.oracle.report(`tab ${name} creates the application of a deleted draft`)
    return guard(ask(endpoint, input, key))
  })

  function onEvent(event: SyncEvent) {
    if (!isAlive) return
    world.trail(`${name}: ${JSON.stringify(event)}`)
    if (event.kind === 'replaced') world.onAnswersReplaced(phone)
  }

  const drafts = guardDrafts(store.drafts, guard, stopWatching)
  const sync = createSync({
    device,
    random: chance.fraction,
    openDrafts: async () => (await ready, drafts),
    call,
    session: {
      state: () => sessionState(phone.signedIn),
      token: () => (phone.signedIn ? `token ${phone.token}` : undefined),
      subscribe: listener => (sessionListeners.add(listener), () => sessionListeners.delete(listener)),
    },
    connectivity: { isUnreachable: () => false, subscribe: () => () => undefined },
    acceptsDrafts: async () => true,
    serverEpoch: async () => server.epoch(),
    digestOfForm: async (values, version) => digestOf(values, version),
    onEvent,
    setOnlyInPage: () => undefined,
  })
  stopWatching.push(sync.subscribe(world.touch))

  async function readStoredDraft(id: string): Promise<{ draft: Draft; isRestored: boolean } | undefined> {
    const currentId = await sync.resolveId(id)
    const draft = await drafts.read(currentId)
    if (!draft) return undefined
    sync.refresh(currentId)
    return { draft, isRestored: true }
  }

  /**
   * The application as the form starts with it (`readSource`): the draft of this phone, else the server's copy. Undefined
   * without a draft when the server's copy cannot be read.
   */
  async function readStart(id: string): Promise<{ draft: Draft; isRestored: boolean } | undefined> {
    await ready
    const stored = await readStoredDraft(id)
    if (stored) return stored
    const currentId = await sync.resolveId(id)
    const found = await guard(ask('readData', { params: { id: currentId } }, undefined))
    if (!found.ok) return undefined
    const arrived = await readStoredDraft(id)
    if (arrived) return arrived
    const data = (found.value as { data: ApplicationData }).data // as the fake server answers
    const { version, additionalData } = data
    const values = readStored(data)
    const epoch = phone.isOldStory ? undefined : data.epoch
    return {
      draft: newDraft({ values, tab: '', base: { version, epoch, additionalData, values, at: 0 } }),
      isRestored: false,
    }
  }

  async function open(id: string | undefined) {
    if (id === undefined) return
    await form?.close()
    form = undefined
    const start = await readStart(id)
    if (!start || !isAlive || !phone.signedIn) return
    form = openForm({
      applicationId: id,
      lastKnown: start.draft,
      isRestored: start.isRestored,
      isSignedIn: () => phone.signedIn,
      sync,
      device,
      reportedAnswers,
      shownGroups,
      storedForms: () => [...draftsOf(phone).map(({ draft }) => draft.values), ...revisionsOf(phone)],
      isValid: () => chance.below(2) === 0,
      onFault: world.oracle.report,
      onChange: world.touch,
    })
  }

  function die() {
    if (!isAlive) return
    isAlive = false
    world.trail(`${name} dies`)
    form?.drop()
    for (const stop of stopWatching) stop()
    storage.kill()
    phone.locks.dropTab(identity)
    database.close({ disableAutoOpen: true })
  }

  return {
    name,
    phone,
    device,
    sync,
    store,
    drafts,
    call,
    storage,
    guard,
    isAlive: () => isAlive,
    isStorageOpen: () => database.isOpen(),
    form: () => form,
    ready: () => ready,
    open,
    die,
    /** Runs `run` after what the applicant did before in this tab. */
    next(run: () => Promise<void>) {
      doing = doing.then(run)
      return doing
    },
    async closeForm() {
      await form?.close()
      form = undefined
    },
    onSession: () => sessionListeners.forEach(listener => listener()),
    signIn() {
      ready = setKey()
      return ready
    },
  }
}

type Guard = <Value>(value: Promise<Value>) => Promise<Value>

/** A dead tab gets no results. */
function createGuard(isAlive: () => boolean): Guard {
  return value =>
    new Promise((resolve, reject) => {
      value.then(
        result => isAlive() && resolve(result),
        error => isAlive() && reject(error),
      )
    })
}

function guardDrafts(drafts: Drafts, guard: Guard, stops: (() => void)[]): Drafts {
  return {
    find: id => guard(drafts.find(id)),
    findAll: () => guard(drafts.findAll()),
    read: id => guard(drafts.read(id)),
    all: () => guard(drafts.all()),
    update: (id, change, cause) => guard(drafts.update(id, change, cause)),
    move: (...move) => guard(drafts.move(...move)),
    resolveId: id => guard(drafts.resolveId(id)),
    moves: () => guard(drafts.moves()),
    unsavedIds: () => drafts.unsavedIds(),
    watch(listener) {
      const stop = drafts.watch(listener)
      stops.push(stop)
      return stop
    },
  }
}

function sessionState(signedIn: boolean): SessionState {
  if (!signedIn) return { kind: 'signed-out' }
  // The engine reads nothing else.
  return { kind: 'signed-in', claims: { applicantId: ada.applicantId } } as SessionState
}

function asCall(ask: (endpoint: string, input: unknown, key: string | undefined) => Promise<unknown>): Call {
  // The model answers what the contract says.
  return (async (name: string, input: unknown, options: { key?: string } = {}) =>
    ask(name, input, options.key)) as unknown as Call
}
