import { expect } from 'vitest'
import type { Call } from '#api/client.ts'
import type { Problem, Result } from '#api/result.ts'
import { emptyForm, type FormValues, fromWire, normaliseForm, readForm } from '#contract/application.ts'
import type { SessionState } from '#session/session.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { Drafts } from '#store/drafts.ts'
import { createRandomSource, type RandomSource } from '#support/random-source.ts'
import { createSync, type Sync } from '#sync/engine.ts'
import { copyFields } from '#contract/field-groups.ts'
import { syncStatusOf } from '#sync/sync-status.ts'

const acceptsDrafts = true // the server accepts incomplete forms (D14)

export type SimulationResult = {
  /** Values that were reported as saved, or submitted, and that in the end neither the server nor a phone has. */
  lost: string[]
  /** Drafts that a phone has not sent in the end, although the connection is good and they do not wait for the applicant. */
  unsent: string[]
  /** How often the server's copy has replaced a draft (S93). */
  replacedDrafts: number
  /** Refusals of an incomplete form while an order was open. */
  incompleteRefusals: number
  applications: number
  /** The server was restored from a backup without the application: the phone keeps its answers (D63). */
  isMissingAfterRestore: boolean
  starts: number
  /** How many timers have run. */
  timerRuns: number
  trail: string[]
}

const dayMs = 24 * 60 * 60 * 1_000

const fields = ['surname', 'givenName', 'motherSurname', 'travelDestination', 'resAddressStreet'] as const
type TypedField = (typeof fields)[number]

/**
 * A simulation of two phones, a bad network and one server, from a seed and with its own clock. The engine and the rules of the
 * sync are the real ones; the store is in memory, and the fake server has versions, idempotency keys and one open application.
 * The clock of a phone jumps by an hour or a day. In every third seed the server is restored from a backup of an earlier turn
 * (D62). In every fourth seed an order is open for some turns, and the server accepts only complete forms (D14). In every fifth
 * seed the application is paid for (S93).
 */
export async function simulate(seed: number): Promise<SimulationResult> {
  const chance = createRandomSource(seed)
  const clock = createClock()
  const trail: string[] = []
  const server = createServer()
  const bothStart = seed % 2 === 0
  const network = { bad: true }
  const reported = createReportedValues()
  const phones = ['A', 'B'].map(name =>
    createPhone({ name, chance, clock, server, network, trail, reported }),
  )
  const [first, second] = phones
  if (!first || !second) throw new Error('Expected two phones')

  await first.start()
  if (bothStart) await second.start()
  const isPaid = seed % 5 === 0
  const isRestored = seed % 3 === 0
  let backup: Backup | undefined
  for (let turn = 0; turn < 40; turn += 1) {
    // The application is paid for: its form is closed, and from then on the server's copy wins (S93).
    if (isPaid && turn === 30) server.markPaid()
    if (isRestored && turn === 15) backup = server.backUp()
    if (isRestored && turn === 25) backup?.restore()
    if (seed % 4 === 0) server.setOrderOpen(turn > 10 && turn < 35)
    const phone = chance.pick(phones)
    await phone.act()
    await clock.pass(chance.below(chance.below(4) === 0 ? 120_000 : 4_000))
  }
  network.bad = false
  for (let round = 0; round < 6; round += 1) {
    for (const phone of phones) await phone.comeBack()
    await clock.pass(15 * 60_000)
  }
  return {
    replacedDrafts: trail.filter(event => event.endsWith('replaced')).length,
    incompleteRefusals: server.incompleteRefusals(),
    lost: reported
      .all()
      .filter(({ field, value }) => {
        const forms = [...server.forms(), ...phones.flatMap(phone => phone.forms())]
        return !forms.some(form => form[field] === value)
      })
      .map(({ field, value }) => `${field} = ${value}`),
    unsent: phones.flatMap(phone => phone.unsent()),
    applications: server.count(),
    isMissingAfterRestore: backup?.isEmpty === true,
    starts: phones.reduce((sum, phone) => sum + phone.starts(), 0),
    timerRuns: clock.timerRuns(),
    trail,
  }
}

type Chance = RandomSource
type Clock = ReturnType<typeof createClock>
type Server = ReturnType<typeof createServer>
type Backup = ReturnType<Server['backUp']>
type ReportedValues = ReturnType<typeof createReportedValues>

/**
 * Values that were typed, and reported as saved or submitted. A value is removed when an applicant who saw it types or
 * chooses another one, or is told that the server's copy replaces it.
 */
function createReportedValues() {
  const values = new Map<string, { field: TypedField; value: string }>()
  return {
    add: (field: TypedField, value: string) => void values.set(`${field} ${value}`, { field, value }),
    remove: (field: TypedField, value: string) => void values.delete(`${field} ${value}`),
    /** The applicant is told that the server's copy replaces the values of this phone. */
    removeAllOf(phone: string) {
      for (const [key, { value }] of values) if (value.startsWith(phone)) values.delete(key)
    },
    all: () => [...values.values()],
  }
}

type PhoneParts = {
  name: string
  chance: Chance
  clock: Clock
  server: Server
  network: { bad: boolean }
  trail: string[]
  reported: ReportedValues
}

function createPhone({ name, chance, clock, server, network, trail, reported }: PhoneParts) {
  const stored = new Map<string, Draft>()
  const moves = new Map<string, string>()
  const locks = new Map<string, Promise<unknown>>()
  /** The wall clock of the phone minus the true time, in milliseconds. */
  let clockErrorMs = 0
  let signedIn = true
  let process: Process | undefined
  let typed = 0
  let starts = 0
  let ids = 0

  type ProcessState = {
    alive: boolean
    emit: () => void
    form:
      | { id: string; values: FormValues; known: Draft; dirty: Map<TypedField, string>; busy: boolean }
      | undefined
  }
  type Process = ProcessState & { sync: Sync }

  function boot(): Process {
    const listeners = new Set<() => void>()
    const self: ProcessState = {
      alive: true,
      form: undefined,
      emit: () => listeners.forEach(each => each()),
    }
    /** A killed process gets no results. */
    const guard = async <Value>(value: Promise<Value>): Promise<Value> => {
      const result = await value
      return self.alive ? result : new Promise(() => undefined)
    }
    const sync = createSync({
      device: {
        now: () => clock.now() + clockErrorMs,
        after: (milliseconds, run) => clock.after(milliseconds, () => self.alive && run()),
        broadcast: () => undefined,
        // A lock ends with the process that held it.
        withLock: async (lock, run) => {
          if (!self.alive) return new Promise<never>(() => undefined)
          const before = locks.get(lock)
          const mine = (async () => {
            await before
            if (self.alive) return run()
            return new Promise<never>(() => undefined)
          })()
          const dies = new Promise<void>(resolve => kills.push({ self, resolve }))
          locks.set(lock, Promise.race([mine.catch(() => undefined), dies]))
          return mine
        },
        randomId: () => `${name}-${(ids += 1)}`,
        onPageVisible: () => () => undefined,
      },
      random: chance.fraction,
      openDrafts: async () => guardDrafts(createMemoryDrafts(stored, moves), guard),
      call: asCall(async (endpoint, input, key) => guard(ask(endpoint, input, key))),
      session: {
        state: () => sessionState(signedIn),
        token: () => (signedIn ? 'token' : undefined),
        subscribe: listener => (listeners.add(listener), () => listeners.delete(listener)),
        // Only one applicant signs in.
        watchEnd: () => () => false,
      },
      connectivity: { isUnreachable: () => false, subscribe: () => () => undefined },
      acceptsDrafts: async () => true,
      serverEpoch: async () => server.epoch(),
      digestOfForm: async (values, version) => digestOf(values, version),
      setOnlyInPage: () => undefined,
      onEvent: event => {
        if (!self.alive) return
        trail.push(`${clock.now()} ${name} ${event.kind}`)
        if (event.kind === 'replaced') reported.removeAllOf(name)
        if (event.kind === 'created' && self.form?.id === event.localId) self.form.id = event.applicationId
      },
    })
    return Object.assign(self, { sync })
  }

  const kills: { self: ProcessState; resolve: () => void }[] = []

  async function ask(endpoint: string, input: unknown, key: string | undefined): Promise<Result<unknown>> {
    const fault = network.bad ? chance.below(10) : 9
    await clock.sleep(chance.below(1_500))
    if (fault === 0) return failed({ kind: 'unreachable', cause: 'no-answer' })
    if (fault === 1)
      return clock.sleep(30_000).then(() => failed({ kind: 'unreachable', cause: 'no-answer' }))
    if (!signedIn) return failed(refusal(401))
    if (fault === 2) return failed({ ...refusal(503), kind: 'broken' })
    // A proxy on the way answers the save with 200 and empty data.
    if (fault === 5 && endpoint === 'saveData') return { ok: true, value: { data: {} } }
    const answer = server.answer(endpoint, input, key)
    trail.push(`${clock.now()} ${name} ${endpoint} ${key ?? ''} ${answer.ok ? 'ok' : 'no'} fault ${fault}`)
    if (fault === 3) return failed({ kind: 'unreachable', cause: 'no-answer' })
    if (fault === 4)
      return clock.sleep(30_000).then(() => failed({ kind: 'unreachable', cause: 'no-answer' }))
    await clock.sleep(chance.below(1_500))
    return answer
  }

  async function open(id: string) {
    if (!process) return
    const currentId = await process.sync.resolveId(id)
    const draft = stored.get(currentId)
    const form = server.read(currentId)
    const known =
      draft ??
      (form
        ? newDraft({ values: form.values, tab: 'GeneralData', base: { ...form, additionalData: '', at: 0 } })
        : undefined)
    if (!known) return
    process.form = { id: currentId, values: known.values, known, dirty: new Map(), busy: false }
    process.sync.refresh(currentId)
  }

  /** Acts as the open form does after a pause in typing: saves its values, and copies values from elsewhere into the form. */
  async function saveForm() {
    const running = process
    const form = running?.form
    if (!running || !form || form.busy) return
    form.busy = true
    const sent = form.values
    const dirty = new Map(form.dirty)
    form.dirty.clear()
    const saved = await running.sync.save(form.id, {
      values: sent,
      tab: 'GeneralData',
      lastKnown: form.known,
      isValid: () => chance.below(2) === 0,
    })
    form.busy = false
    if (!running.alive || saved.kind !== 'saved' || !saved.draft) return
    const { draft } = saved
    for (const [field, over] of dirty) {
      reported.remove(field, over)
      reported.add(field, sent[field])
    }
    let collided = false
    for (const field of fields) {
      if (draft.values[field] === sent[field]) continue
      if (form.values[field] === sent[field]) form.values = { ...form.values, [field]: draft.values[field] }
      else collided = true
    }
    if (!collided) form.known = draft
  }

  function type() {
    const form = process?.form
    if (!form) return
    const field = chance.pick(fields)
    const value = `${name}${(typed += 1)}`
    if (!form.dirty.has(field)) form.dirty.set(field, form.values[field])
    form.values = { ...form.values, [field]: value }
    trail.push(`${clock.now()} ${name} types ${field} ${value}`)
    clock.after(150, () => void saveForm())
  }

  async function resolveConflicts() {
    if (!process) return
    for (const [id, draft] of stored) {
      const status = await process.sync.read(id)
      if (status.kind !== 'conflict' || status.conflicts.length === 0) continue
      const form = process.form
      // The conflict screen replaces the form: the applicant cannot type while it is open.
      if (form && form.dirty.size > 0) continue
      let picked = status.merged
      for (const choice of status.conflicts) {
        const theirs = chance.below(2) === 0
        if (theirs) picked = copyFields(choice.fields, choice.theirs, picked)
        for (const field of fields.filter(each => choice.fields.includes(each)))
          reported.remove(field, (theirs ? choice.mine : choice.theirs)[field])
      }
      trail.push(`${clock.now()} ${name} chooses ${String(draft.theirs?.version)}`)
      await process.sync.resolveConflicts(id, { picked, shown: status.draft })
      if (form) await open(id)
    }
  }

  async function submit() {
    const form = process?.form
    if (!form || form.busy) return
    for (const [field, over] of form.dirty) {
      reported.remove(field, over)
      reported.add(field, form.values[field])
    }
    form.dirty.clear()
    const sent = form.values
    void process?.sync.submit(form.id, { values: sent, tab: 'NicData', lastKnown: form.known })
  }

  function kill() {
    if (!process) return
    trail.push(`${clock.now()} ${name} dies`)
    const dead = process
    dead.alive = false
    for (const { self, resolve } of kills) if (self === dead) resolve()
    locks.clear()
    process = undefined
  }

  async function ensureStarted() {
    if (process) return
    process = boot()
    process.emit()
    const [known] = [...stored.keys(), ...server.ids()]
    if (known !== undefined) await open(known)
  }

  return {
    async start() {
      process = boot()
      const id = await process.sync.startLocal(`start-${name}`)
      starts += 1
      if (id) await open(id)
    },
    async act() {
      await ensureStarted()
      if (process && !process.form) await open([...stored.keys(), ...server.ids()][0] ?? '')
      const what = chance.below(13)
      if (what < 6) return type()
      if (what === 6) return kill()
      if (what === 7) return void (signedIn = !signedIn)
      if (what === 8) return resolveConflicts()
      if (what === 9) return submit()
      if (what === 10) return process?.emit()
      if (what === 11) return void (clockErrorMs += chance.pick([-dayMs, -3_600_000, 3_600_000, dayMs]))
      return process?.form && process.sync.refresh(process.form.id)
    },
    async comeBack() {
      signedIn = true
      await ensureStarted()
      await saveForm()
      process?.emit()
      if (process?.form) process.sync.refresh(process.form.id)
    },
    /** The forms of the saved drafts, and the server’s forms from which the applicant still has to choose. */
    forms: () =>
      [...stored.values()].flatMap(({ values, theirs }) => (theirs ? [values, theirs.values] : [values])),
    starts: () => starts,
    unsent: () =>
      [...stored].flatMap(([id, draft]) => {
        const { kind } = syncStatusOf(draft, acceptsDrafts)
        // A Submit whose answers were changed and have faults waits for the applicant.
        const waits = draft.faulty === true || ['sent', 'conflict', 'stuck'].includes(kind)
        return waits ? [] : [`${name} ${id} ${kind}`]
      }),
  }
}

function sessionState(signedIn: boolean): SessionState {
  if (!signedIn) return { kind: 'signed-out' }
  // The engine reads nothing else.
  return { kind: 'signed-in', claims: { applicantId: 'ada' } } as SessionState
}

function asCall(ask: (endpoint: string, input: unknown, key: string | undefined) => Promise<unknown>): Call {
  // The model answers what the contract says.
  return (async (name: string, input: unknown, options: { key?: string } = {}) =>
    ask(name, input, options.key)) as unknown as Call
}

/** The drafts in memory: `update` is atomic, and waits before and after the change as in the store. `watch` reports nothing. */
export function createMemoryDrafts(stored: Map<string, Draft>, moves: Map<string, string>): Drafts {
  return {
    find: async id => (await pause(), { draft: stored.get(id) }),
    findAll: async () => ({
      found: [...stored].map(([applicationId, draft]) => ({ applicationId, draft })),
    }),
    read: async id => (await pause(), stored.get(id)),
    all: async () => [...stored].map(([applicationId, draft]) => ({ applicationId, draft })),
    async update(id, change) {
      for (;;) {
        const before = stored.get(id)
        await pause()
        const after = change(before)
        await pause()
        if (stored.get(id) !== before) continue
        if (after) stored.set(id, after)
        else stored.delete(id)
        return { kind: 'saved', draft: after }
      }
    },
    async move(localId, id, to, { isForwarding } = { isForwarding: true }) {
      await pause()
      const draft = stored.get(localId)
      if (!draft) return 'moved'
      const moved = to(draft, stored.get(id))
      if (!moved) return 'taken'
      stored.set(id, moved)
      stored.delete(localId)
      if (isForwarding) moves.set(localId, id)
      return 'moved'
    },
    resolveId: async id => moves.get(id) ?? id,
    moves: async () => new Map(moves),
    unsavedIds: () => [],
    watch: () => () => undefined,
  }
}

async function pause(): Promise<void> {
  await Promise.resolve()
}

function guardDrafts(drafts: Drafts, guard: <Value>(value: Promise<Value>) => Promise<Value>): Drafts {
  return {
    find: id => guard(drafts.find(id)),
    findAll: () => guard(drafts.findAll()),
    read: id => guard(drafts.read(id)),
    all: () => guard(drafts.all()),
    update: (id, change) => guard(drafts.update(id, change)),
    move: (...move) => guard(drafts.move(...move)),
    resolveId: id => guard(drafts.resolveId(id)),
    moves: () => guard(drafts.moves()),
    unsavedIds: () => drafts.unsavedIds(),
    watch: listener => drafts.watch(listener),
  }
}

type Stored = { version: number; values: FormValues }

function digestOf(values: FormValues, version: number): string {
  return JSON.stringify([version, normaliseForm(values)])
}

function createServer() {
  const applications = new Map<string, Stored>()
  const answers = new Map<string, { print: string; answer: Result<unknown> }>()
  let state = 'NEW'
  let epoch = 1
  /** An id comes once only, also after a restore. */
  let createdCount = 0
  let isOrderOpen = false
  let incompleteRefusals = 0

  function once(
    key: string | undefined,
    input: unknown,
    run: () => Result<unknown>,
    isOutdated: (answer: Result<unknown>) => boolean = () => false,
  ): Result<unknown> {
    const print = JSON.stringify(input)
    const before = key === undefined ? undefined : answers.get(key)
    if (before) {
      // Every request with one key must have the same body (D13).
      expect(print).toBe(before.print)
      return isOutdated(before.answer) ? run() : before.answer
    }
    const answer = run()
    if (key !== undefined) answers.set(key, { print, answer })
    return answer
  }

  function dataOf({ version, values }: Stored) {
    return {
      ...values,
      version,
      epoch: String(epoch),
      additionalData: '',
      draft: true,
      currentState: state,
      changeAppointmentAccess: false,
      appointmentChangeCount: 1,
    }
  }

  return {
    answer(endpoint: string, input: unknown, key: string | undefined): Result<unknown> {
      const { params, body } = input as { params?: { id: string }; body?: Record<string, unknown> } // as the engine calls
      if (endpoint === 'createApplication')
        return once(key, input, () => {
          const [id = `app-${createdCount + 1}`] = applications.keys()
          if (!applications.has(id)) createdCount += 1
          if (!applications.has(id)) applications.set(id, { version: 0, values: emptyForm() })
          return { ok: true, value: { data: { id, applicationNumber: `N-${id}` } } }
        })
      const application = applications.get(params?.id ?? '')
      if (!application) return failed({ ...refusal(404), reason: 'not-found' })
      if (endpoint === 'readData') return { ok: true, value: { data: dataOf(application) } }
      if (isOrderOpen && state === 'NEW' && !answers.has(key ?? '') && isIncomplete(body)) {
        incompleteRefusals += 1
        // The server does not store this answer: the same write may succeed later.
        const data = { paymentId: 'pay-1' }
        return failed({ ...refusal(409), kind: 'broken', reason: 'in-flight', data })
      }
      const save = (): Result<unknown> => {
        if (state !== 'NEW') return failed({ ...refusal(409), reason: 'wrong-state' })
        if (body?.['baseVersion'] !== undefined && body['baseVersion'] !== application.version)
          return failed({
            ...refusal(409),
            reason: 'stale-version',
            data: { ...dataOf(application), statusCode: 409 },
          })
        application.version += 1
        application.values = readForm(fromWire(body ?? {}))
        const { version, values } = application
        return {
          ok: true,
          value: { data: { version, epoch: String(epoch), digest: digestOf(values, version) } },
        }
      }
      // A save with a base version does not repeat its answer when the form has another version (D13).
      return once(key, input, save, answer => {
        const saved = (answer.ok ? answer.value : undefined) as { data: { version: number } } | undefined // as `save` answers
        return (
          body?.['baseVersion'] !== undefined &&
          saved !== undefined &&
          saved.data.version !== application.version
        )
      })
    },
    setOrderOpen: (isOpen: boolean) => void (isOrderOpen = isOpen),
    incompleteRefusals: () => incompleteRefusals,
    markPaid() {
      state = 'PAYMENT_DONE'
    },
    /**
     * Returns what the office command `after-restore` makes of a backup of this moment: a new epoch and versions that
     * are new.
     */
    backUp() {
      const saved = [...applications].map(([id, form]) => [id, { ...form }] as const)
      const savedAnswers = [...answers]
      const savedState = state
      return {
        isEmpty: saved.length === 0,
        restore() {
          applications.clear()
          answers.clear()
          for (const [id, form] of saved) applications.set(id, { ...form, version: form.version + 1_000 })
          for (const [key, answer] of savedAnswers) answers.set(key, answer)
          state = savedState
          epoch += 1
        },
      }
    },
    epoch: () => String(epoch),
    read: (id: string) => applications.get(id),
    ids: () => [...applications.keys()],
    forms: () => [...applications.values()].map(({ values }) => values),
    count: () => applications.size,
  }
}

/** A draft whose surname ends in 0, 1, 2, 3 or 4 counts as incomplete. */
function isIncomplete(body: Record<string, unknown> | undefined): boolean {
  return body?.['draft'] === true && /[0-4]$/.test(String(body['surname']))
}

function refusal(status: number) {
  return {
    kind: 'refused' as const,
    status,
    statusCode: status,
    message: undefined,
    errors: [],
    data: undefined,
  }
}

function failed(problem: Problem): Result<never> {
  return { ok: false, problem }
}

function createClock() {
  let time = 1_800_000_000_000
  let timerRuns = 0
  let timers: { at: number; run: () => void }[] = []

  function after(milliseconds: number, run: () => void) {
    const timer = { at: time + milliseconds, run }
    timers.push(timer)
    return () => {
      timers = timers.filter(other => other !== timer)
    }
  }

  return {
    now: () => time,
    timerRuns: () => timerRuns,
    after,
    sleep: (milliseconds: number) => new Promise<void>(resolve => void after(milliseconds, resolve)),
    async pass(milliseconds: number) {
      const end = time + milliseconds
      await flushPromises()
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0]
        if (!next) break
        timers = timers.filter(timer => timer !== next)
        time = Math.max(time, next.at)
        timerRuns += 1
        next.run()
        await flushPromises()
      }
      time = end
    },
  }
}

async function flushPromises() {
  await new Promise(resolve => setImmediate(resolve))
}
