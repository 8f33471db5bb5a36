import { readStored } from '#contract/stored-form.ts'
import type { ApplicationData } from '#contract/application.ts'
import type { Call } from '#api/client.ts'
import { doNothing } from '#device/do-nothing.ts'
import { openDatabase } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { Change, Drafts } from '#store/drafts.ts'
import type { ChangeCause } from '#store/revision-rule.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { createSync, type SyncEvent } from '#sync/engine.ts'
import { createPendingWrites } from '#sync/pending-writes.ts'
import type { Account } from './account.ts'
import { digestOf } from './fake-server.ts'
import { createModelSession } from './model-session.ts'
import { type OpenForm, openForm } from './open-form.ts'
import { draftsOf, revisionsOf } from './oracle.ts'
import type { PageMemory } from './reported-answers.ts'
import type { Phone } from './phone.ts'
import { createTabStorage } from './phone-storage.ts'
import { createPortalSession } from './portal-session.ts'
import type { TabName } from './story.ts'
import { createTabDevice } from './tab-device.ts'
import type { World } from './world.ts'

export type Tab = ReturnType<typeof openTab>

/** Opens the portal in a tab: the real store and the real engine over the storage of the phone. */
export function openTab(name: TabName, phone: Phone, world: World) {
  const { clock, chance } = world
  let isAlive = true
  let form: OpenForm | undefined
  let formOwner: Account | undefined
  let doing = Promise.resolve()
  let memory: PageMemory = { isLost: false }
  const identity = {}
  const device = createTabDevice(phone, clock, {
    tab: identity,
    isAlive: () => isAlive,
    report: world.report,
  })
  const storage = createTabStorage(phone.disk, clock)
  storage.failing.trouble = phone.trouble()
  const database = openDatabase(phone.disk.name, storage.factory)
  const pendingWrites = createPendingWrites(device)
  const stopWatching: (() => void)[] = []
  const guard = createGuard(() => isAlive)
  const sessionParts = {
    name,
    phone,
    world,
    device,
    guard,
    isAlive: () => isAlive,
    store: () => store,
    sync: () => sync,
    pendingWrites,
    closeForm,
    forgetMemory,
    die,
  }
  const store: Store = createStoreOn(
    database,
    device,
    mergeScreenForm,
    phone.hasSessions
      ? {
          applicantId: () => session.portal?.session.signedInId(),
          id: () => session.portal?.session.id(),
          hasNewer: () => session.portal?.session.hasNewer() ?? false,
        }
      : undefined,
  )
  const session = phone.hasSessions ? createPortalSession(sessionParts) : createModelSession(sessionParts)

  const call = asCall((endpoint, input, key) => {
    if (endpoint === 'createApplication' && session.account()?.oracle.deletions.isDeletedKey(key))
      world.report(`tab ${name} creates the application of a deleted draft`)
    return guard(session.ask(endpoint, input, key))
  })

  function onEvent(event: SyncEvent) {
    if (!isAlive) return
    world.trail(`${name}: ${JSON.stringify(event)}`)
    if (event.kind !== 'replaced') return
    if (form && sync.serverIdOf(form.id) === event.applicationId) form.onReplaced()
    // After the end of a session, a sync that still runs may have replaced the answers of any applicant.
    const account = session.account()
    for (const { oracle } of account ? [account] : world.accounts) oracle.onAnswersReplaced(phone, memory)
  }

  /**
   * Tells the oracle that a write of the sync has replaced answers when the session ends during the write: then the page
   * does not report it (D31).
   */
  function onUpdate(change: Change, cause?: ChangeCause): ReturnType<DraftGuard['onUpdate']> {
    const isOfSync = cause === undefined || cause.kind === 'other'
    const hasEnded = session.forSync.watchEnd()
    const account = session.account()
    const writing = memory
    let isReplaced = false
    return {
      change(before) {
        const after = change(before)
        isReplaced = before !== undefined && after !== undefined && before.values !== after.values
        return after
      },
      onDone() {
        if (isOfSync && isReplaced && hasEnded()) account?.oracle.onAnswersReplaced(phone, writing)
      },
    }
  }

  const drafts = guardDrafts(store.drafts, { guard, stops: stopWatching, onUpdate })
  const sync = createSync({
    device,
    random: chance.fraction,
    openDrafts: async () => (await session.storeReady(), drafts),
    call,
    session: session.forSync,
    connectivity: { isUnreachable: () => false, subscribe: () => () => undefined },
    acceptsDrafts: async () => true,
    serverEpoch: async () => (session.account() ?? world.accounts[0])?.server.epoch(),
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
    await session.storeReady()
    const stored = await readStoredDraft(id)
    if (stored) return stored
    const currentId = await sync.resolveId(id)
    const found = await guard(session.ask('readData', { params: { id: currentId } }, undefined))
    if (!found.ok) return undefined
    const arrived = await readStoredDraft(id)
    if (arrived) return arrived
    const data = (found.value as { data: ApplicationData }).data // as the fake server answers
    const { version, additionalData } = data
    const values = readStored(data)
    const epoch = phone.isOldStory ? undefined : data.epoch // a fault that known seeds repeat (`Phone`)
    return {
      draft: newDraft({ values, tab: '', base: { version, epoch, additionalData, values, at: 0 } }),
      isRestored: false,
    }
  }

  async function open(id: string | undefined) {
    const account = session.account()
    if (id === undefined || !account) return
    // Not `closeForm()`: one more promise would change the trails of the known seeds.
    await form?.close()
    form = undefined
    const start = await readStart(id)
    if (!start || !isAlive || !session.isSignedIn() || session.account() !== account) return
    const { applicantId } = account.applicant
    formOwner = account
    form = openForm({
      applicationId: id,
      applicantId: phone.hasSessions ? applicantId : undefined,
      phoneName: phone.name,
      lastKnown: start.draft,
      isRestored: start.isRestored,
      isSignedIn: session.isSignedIn,
      sync,
      device,
      pendingWrites,
      reportedAnswers: account.reportedAnswers,
      shownGroups: account.shownGroups,
      memory: () => memory,
      mayClaim: () => !phone.wiped.has(applicantId),
      storedForms: () => [
        ...draftsOf(phone, applicantId).map(({ draft }) => draft.values),
        ...revisionsOf(phone, applicantId),
      ],
      server: account.server,
      hasUnreportedWrite: storage.hanging.hasUnreported,
      isValid: () => chance.below(2) === 0,
      onFault: account.oracle.report,
      onChange: world.touch,
    })
  }

  async function closeForm() {
    await form?.close()
    form = undefined
  }

  /** Call when the store forgets what the device could not save: the oracle no longer expects these answers. */
  function forgetMemory() {
    memory.isLost = true
    memory = { isLost: false }
  }

  function die() {
    if (!isAlive) return
    // The tab can no longer report what its last write has replaced.
    for (const { oracle } of world.accounts) oracle.forgiveUnreported()
    isAlive = false
    forgetMemory()
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
    formOwner: () => formOwner,
    account: session.account,
    isSignedIn: session.isSignedIn,
    portal: session.portal,
    ready: session.ready,
    open,
    die,
    /** That of the applicant who is signed in now. */
    memory: () => memory,
    /** Runs `run` after what the applicant did before in this tab. */
    next(run: () => Promise<void>) {
      doing = doing.then(run)
      return doing
    },
    closeForm,
    forgetMemory,
    onSession: session.onSession,
    signIn: session.signIn,
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

type DraftGuard = {
  guard: Guard
  stops: (() => void)[]
  /** Returns the change, and a function to call when the update has ended, also if only the memory has the result. */
  onUpdate: (change: Change, cause?: ChangeCause) => { change: Change; onDone: () => void }
}

function guardDrafts(drafts: Drafts, { guard, stops, onUpdate }: DraftGuard): Drafts {
  return {
    find: id => guard(drafts.find(id)),
    findAll: () => guard(drafts.findAll()),
    read: id => guard(drafts.read(id)),
    all: () => guard(drafts.all()),
    update(id, given, cause) {
      const { change, onDone } = onUpdate(given, cause)
      const updated = guard(drafts.update(id, change, cause))
      void updated.then(onDone, doNothing)
      return updated
    },
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

function asCall(ask: (endpoint: string, input: unknown, key: string | undefined) => Promise<unknown>): Call {
  // The model answers what the contract says.
  return (async (name: string, input: unknown, options: { key?: string } = {}) =>
    ask(name, input, options.key)) as unknown as Call
}
