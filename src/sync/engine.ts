import { ApplicationData, emptyForm, type FormValues, toWire } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Call } from '#api/client.ts'
import type { Problem } from '#api/result.ts'
import type { Device } from '#device/device.ts'
import type { Session } from '#session/session.ts'
import { type Draft, newDraft, type Sending } from '#store/draft.ts'
import type { Change, Drafts, Kept } from '#store/drafts.ts'
import {
  afterMoved,
  afterSent,
  dropSending,
  getStuck,
  keepTyped,
  meet,
  nextStep,
  overrule,
  prepareSending,
  putOff,
  readAnswer,
  settleChoices,
  type Step,
  submit,
  toServerForm,
  type Typed,
} from './deliver.ts'
import type { Line } from './line.ts'
import { isLocal, localId } from './local-id.ts'
import { createStandings, type Standing, type Standings } from './standings.ts'

export type SyncEvent =
  /** An application that was started without the line now exists. */
  | { kind: 'created'; localId: string; applicationId: ApplicationId; applicationNumber: string }
  | { kind: 'sent'; applicationId: string; complete: boolean }
  /** A Submit that waited here has come to the server, which does not take it (S89). */
  | { kind: 'not-taken'; applicationId: string }
  /** The server's copy has won over what was typed here (S93). */
  | { kind: 'overruled'; applicationId: string }

export type SyncParts = {
  device: Pick<Device, 'now' | 'after' | 'alone' | 'randomId' | 'onReturn'>
  /** From 0 up to 1. */
  random: () => number
  openDrafts: () => Promise<Drafts>
  call: Call
  session: Pick<Session, 'state' | 'subscribe'>
  line: Pick<Line, 'isDown' | 'subscribe'>
  /** Whether the server takes incomplete forms; undefined while nobody knows. */
  takesDrafts: () => Promise<boolean | undefined>
  onEvent: (event: SyncEvent) => void
}

/** Carries local work to the server. Nothing leaves the device before the server has said yes. */
export type Sync = Standings & {
  /** Keeps what is on the screen; gives the draft as it is kept, with what came from the server meanwhile. */
  keep: (applicationId: string, typed: Typed) => Promise<Kept>
  /** The form is opened: another device may have gone on with it. */
  look: (applicationId: string) => void
  submit: (applicationId: string, typed: Typed) => Promise<Standing>
  choose: (applicationId: string, picked: FormValues) => Promise<void>
  /** Starts an application without the line, under the key of its creation; gives its local id (D33). */
  startLocal: (key: string) => Promise<ApplicationId | undefined>
  /** Sends what there is now, and settles when it is known what became of it; undefined where nobody can say. */
  flush: (applicationId: string) => Promise<Standing | undefined>
  forget: (applicationId: string) => Promise<void>
  /** Where an application goes on that was started under a local id. */
  whereabouts: (applicationId: string) => Promise<string>
  /** The local id under which an open form was started; its own id otherwise. */
  originOf: (applicationId: ApplicationId) => ApplicationId
}

/** Typing pauses for so long before anything is sent. */
const quiet = 2_000

type Manner = {
  /** Somebody waits, or the line is back: no backing off. */
  urgent: boolean
  /** The applicant asked for it, and is told of what fails (S29). */
  aloud: boolean
}

export function createSync(parts: SyncParts): Sync {
  const { device, call } = parts
  const looks = new Set<string>()
  const origins = new Map<string, ApplicationId>()
  /** The other way round: what is open under its local id is found under the server's. */
  const settled = new Map<string, string>()
  const timers = new Map<string, () => void>()
  const standings = createStandings(parts)

  async function whereabouts(id: string): Promise<string> {
    return isLocal(id) ? (await parts.openDrafts()).whereabouts(id) : id
  }

  async function update(id: string, change: Change): Promise<Kept> {
    const drafts = await parts.openDrafts().catch(() => undefined) // no store in this browser: whoever typed is told
    return drafts
      ? drafts.update(await whereabouts(id), change)
      : { kind: 'not-kept', why: 'refused', draft: undefined }
  }

  const change = (id: string, to: (draft: Draft) => Draft) => update(id, draft => draft && to(draft))

  /** One tab at a time carries one application, and goes on until nothing is left that can be done now. */
  async function carry(id: string, manner: Manner): Promise<void> {
    await device.alone(`carry ${id}`, async () => {
      while (parts.session.state().kind === 'signed-in') {
        const place = await whereabouts(id)
        if (place !== id) return carry(place, manner)
        const step = await findStep(id, manner)
        if (step.kind === 'rest') return
        if (step.kind === 'wait') return setTimer(id, step.until - device.now())
        if (!(await take(id, step, manner))) return
      }
    })
  }

  async function findStep(id: string, { urgent }: Manner): Promise<Step> {
    const drafts = await parts.openDrafts()
    return nextStep(await drafts.read(id), {
      now: device.now(),
      urgent,
      look: looks.has(id),
      takesDrafts: (await parts.takesDrafts()) === true,
    })
  }

  /** Whether there is more to do at once. */
  async function take(id: string, step: Step, { aloud }: Manner): Promise<boolean> {
    const options = { background: !aloud }
    switch (step.kind) {
      case 'rest':
      case 'wait':
        return false
      case 'prepare':
        await change(id, draft => prepareSending(draft, device.randomId()))
        return true
      case 'create': {
        const created = await call('createApplication', {}, { ...options, key: step.key })
        return created.ok ? settleInto(id, created.value.data) : fail(id, created.problem)
      }
      case 'read': {
        const found = await call('readData', { params: { id: toApplicationId(id) } }, options)
        looks.delete(id)
        return found.ok ? meetServer(id, found.value.data) : fail(id, found.problem)
      }
      case 'send':
        return send(id, step.sending, options)
    }
  }

  async function send(id: string, sending: Sending, options: { background: boolean }): Promise<boolean> {
    const result = await call(
      'saveData',
      { params: { id: toApplicationId(id) }, body: bodyOf(sending) },
      { ...options, key: sending.key },
    )
    if (!result.ok) {
      const goesOn = await fail(id, result.problem)
      if (sending.complete && options.background) await tellIfStuck(id)
      return goesOn
    }
    const answer = { version: result.value.data.version, at: device.now() }
    await change(id, draft => afterSent(draft, sending, answer))
    parts.onEvent({ kind: 'sent', applicationId: id, complete: sending.complete })
    return true
  }

  /** What was started here goes on under the id the server gave; it may have had an open form all along. */
  async function settleInto(
    startedAs: string,
    { id, applicationNumber }: { id: ApplicationId; applicationNumber: string },
  ): Promise<boolean> {
    const drafts = await parts.openDrafts()
    if ((await drafts.move(startedAs, id, afterMoved)) === 'taken') {
      await carry(id, { urgent: true, aloud: false })
      if ((await drafts.move(startedAs, id, afterMoved)) === 'taken') return tryLater(startedAs)
    }
    origins.set(id, toApplicationId(startedAs))
    settled.set(startedAs, id)
    parts.onEvent({ kind: 'created', localId: startedAs, applicationId: id, applicationNumber })
    return true
  }

  async function meetServer(id: string, data: ApplicationData): Promise<boolean> {
    let overruled = false
    await change(id, draft => {
      const met = meet(draft, data, device.now())
      overruled = met.overruled
      return met.draft
    })
    if (overruled) parts.onEvent({ kind: 'overruled', applicationId: id })
    return true
  }

  async function fail(id: string, problem: Problem): Promise<boolean> {
    const answer = readAnswer(problem)
    switch (answer.kind) {
      case 'again':
        return tryLater(id)
      case 'sign-in':
        return false
      case 'refused':
      case 'gone':
      case 'not-allowed':
        await change(id, draft => getStuck(draft, answer))
        return false
      case 'new-key':
        await change(id, dropSending)
        return true
      case 'moved-on':
        return giveWay(id)
      case 'stale': {
        const newer = ApplicationData.safeParse(answer.data)
        if (newer.success && newer.data.version !== undefined) return meetServer(id, newer.data)
        await change(id, dropSending)
        looks.add(id)
        return tryLater(id)
      }
    }
  }

  async function tellIfStuck(id: string) {
    if ((await read(id)).kind === 'stuck') parts.onEvent({ kind: 'not-taken', applicationId: id })
  }

  async function giveWay(id: string): Promise<boolean> {
    const found = await call('readData', { params: { id: toApplicationId(id) } }, { background: true })
    if (!found.ok) return tryLater(id)
    await change(id, draft => overrule(draft, toServerForm(found.value.data, device.now())))
    parts.onEvent({ kind: 'overruled', applicationId: id })
    return false
  }

  async function tryLater(id: string): Promise<false> {
    const kept = await change(id, draft => putOff(draft, { now: device.now(), random: parts.random() }))
    if (kept.draft) setTimer(id, kept.draft.notBefore - device.now())
    return false
  }

  function setTimer(id: string, milliseconds: number) {
    timers.get(id)?.()
    const run = () => void (id === everything ? carryAll(false) : carry(id, { urgent: false, aloud: false }))
    timers.set(id, device.after(Math.max(0, milliseconds), run))
  }

  async function carryAll(urgent: boolean) {
    if (parts.session.state().kind !== 'signed-in') return
    const drafts = await parts.openDrafts().catch(() => undefined)
    const waiting = (await drafts?.all()) ?? []
    await Promise.all(waiting.map(each => carry(each.applicationId, { urgent, aloud: false })))
  }

  async function flush(id: string, manner: Manner): Promise<Standing | undefined> {
    const hasStore = await parts.openDrafts().then(yes, no)
    if (!hasStore) return undefined
    await carry(await whereabouts(id), manner)
    return read(id)
  }

  async function read(id: string): Promise<Standing> {
    const drafts = await parts.openDrafts().catch(() => undefined)
    return drafts ? standings.read(await drafts.whereabouts(id)) : { kind: 'not-kept' }
  }

  // It may come when somebody has signed in already.
  void carryAll(true)
  parts.session.subscribe(() => void carryAll(true))
  parts.line.subscribe(() => void (parts.line.isDown() || carryAll(true)))
  device.onReturn(() => void carryAll(true))

  return {
    subscribe: standings.subscribe,
    standing: id => standings.standing(settled.get(id) ?? id),
    list: standings.list,
    read,
    async keep(id, typed) {
      const kept = await update(id, draft => keepTyped(draft, typed))
      // What the device cannot keep, the server's copy does.
      if (kept.kind === 'kept' || kept.draft) setTimer(everything, quiet)
      return kept
    },
    look(id) {
      looks.add(id)
      void carry(id, { urgent: true, aloud: false })
    },
    async submit(id, typed) {
      const kept = await update(id, draft => submit(keepTyped(draft, typed)))
      if (kept.kind === 'not-kept' && !kept.draft) return { kind: 'not-kept' }
      return (await flush(id, { urgent: true, aloud: true })) ?? { kind: 'not-kept' }
    },
    async choose(id, picked) {
      await change(id, draft => settleChoices(draft, picked))
      void carry(await whereabouts(id), { urgent: true, aloud: false })
    },
    async startLocal(key) {
      const id = localId(device.randomId())
      const draft = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key } })
      return (await update(id, () => draft)).kind === 'kept' ? id : undefined
    },
    flush: id => flush(id, { urgent: true, aloud: false }),
    forget: async id => void (await update(id, () => undefined)),
    whereabouts,
    originOf: id => origins.get(id) ?? id,
  }
}

const yes = () => true
const no = () => false

/** The timer that looks at every application. */
const everything = ''

function bodyOf({ values, complete, baseVersion, additionalData }: Sending) {
  return {
    ...toWire(values),
    additionalData,
    draft: !complete,
    ...(baseVersion !== undefined && { baseVersion }),
  }
}
