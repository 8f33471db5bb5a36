import type { FormValues } from '#contract/application.ts'
import type { Session } from '#session/session.ts'
import type { Draft, Stuck } from '#store/draft.ts'
import type { Drafts } from '#store/drafts.ts'
import { isChanged } from './deliver.ts'
import { type Choice, mergeForms } from './merge.ts'
import { unfitFields } from './unfit.ts'

/** What is true of one application's answers between this device and the server (D30). */
export type Standing =
  /** Nothing of it is kept here. */
  | { kind: 'none' }
  | { kind: 'not-kept' }
  /** Here, with a server that takes complete forms only. */
  | { kind: 'kept'; draft: Draft }
  | { kind: 'unsent'; draft: Draft }
  | { kind: 'sending'; draft: Draft }
  /** The server did not answer; it is tried again by itself. */
  | { kind: 'waiting'; draft: Draft }
  | { kind: 'sent'; at: number; draft: Draft }
  | { kind: 'stuck'; stuck: Stuck; draft: Draft }
  | { kind: 'choice'; choices: Choice[]; merged: FormValues; draft: Draft }

export type Entry = { applicationId: string; standing: Standing }

export type Standings = {
  subscribe: (listener: () => void) => () => void
  /** As last seen; the same object until it changes. */
  standing: (applicationId: string) => Standing
  list: () => readonly Entry[]
  /** As it is in the store at this moment. */
  read: (applicationId: string) => Promise<Standing>
}

type Parts = {
  openDrafts: () => Promise<Drafts>
  session: Pick<Session, 'state' | 'subscribe'>
  takesDrafts: () => Promise<boolean | undefined>
}

export function standingOf(draft: Draft | undefined, takesDrafts: boolean): Standing {
  if (!draft) return { kind: 'none' }
  if (draft.stuck) return { kind: 'stuck', stuck: draft.stuck, draft }
  if (draft.theirs) {
    const { base, values: mine, theirs } = draft
    const { choices, values } = mergeForms({ base: base?.values, mine, theirs: theirs.values })
    return { kind: 'choice', choices, merged: values, draft }
  }
  if (draft.attempts > 0) return { kind: 'waiting', draft }
  if (draft.sending) return { kind: 'sending', draft }
  if (draft.create || draft.submitted) return { kind: 'unsent', draft }
  if (isChanged(draft)) return { kind: takesDrafts ? 'unsent' : 'kept', draft }
  const unfit = unfitFields(draft.values)
  if (unfit.length > 0) return { kind: 'stuck', stuck: { kind: 'unfit', fields: [...unfit] }, draft }
  return { kind: 'sent', at: draft.base?.at ?? 0, draft }
}

const nothing: Standing = { kind: 'none' }

/** Follows the store, whichever tab writes to it. */
export function createStandings({ openDrafts, session, takesDrafts }: Parts): Standings {
  const listeners = new Set<() => void>()
  let entries: readonly Entry[] = []
  let known = new WeakMap<Draft, Standing>()
  let knownFor = false
  let asked = 0
  let looking: object | undefined
  let watching = false

  /** What is asked for while somebody looks is seen by one more look, however often it was asked. */
  async function look() {
    asked += 1
    // Nobody waits for an answer of the server before an applicant's work is out of sight.
    if (session.state().kind !== 'signed-in') {
      looking = undefined
      return show([])
    }
    if (looking) return
    const mine = {}
    looking = mine
    try {
      for (;;) {
        const turn = asked
        await lookOnce(turn)
        if (looking !== mine || turn === asked) return
      }
    } finally {
      if (looking === mine) looking = undefined
    }
  }

  async function lookOnce(turn: number) {
    const drafts = await openDrafts().catch(() => undefined)
    const all = (await drafts?.all()) ?? []
    const takes = (await takesDrafts()) === true
    if (turn !== asked) return
    show(all.map(({ applicationId, draft }) => ({ applicationId, standing: toStanding(draft, takes) })))
  }

  /** The same draft stands as it stood: whoever shows it need not draw it anew. */
  function toStanding(draft: Draft, takes: boolean): Standing {
    if (takes !== knownFor) known = new WeakMap()
    knownFor = takes
    const standing = known.get(draft) ?? standingOf(draft, takes)
    known.set(draft, standing)
    return standing
  }

  function show(next: readonly Entry[]) {
    if (isSameList(next, entries)) return
    entries = next
    for (const listener of listeners) listener()
  }

  async function watch() {
    if (watching || session.state().kind !== 'signed-in') return
    watching = true
    const drafts = await openDrafts().catch(() => undefined)
    drafts?.watch(() => void look())
  }

  const follow = () => void watch().then(look)
  session.subscribe(follow)
  follow()

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    standing: id => entries.find(({ applicationId }) => applicationId === id)?.standing ?? nothing,
    list: () => entries,
    async read(id) {
      const drafts = await openDrafts()
      return standingOf(await drafts.read(id), (await takesDrafts()) === true)
    },
  }
}

function isSameList(next: readonly Entry[], before: readonly Entry[]): boolean {
  return (
    next.length === before.length &&
    next.every(
      ({ applicationId, standing }, index) =>
        applicationId === before[index]?.applicationId && standing === before[index].standing,
    )
  )
}
