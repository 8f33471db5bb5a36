import { expect, it } from 'vitest'
import { ApplicationData, emptyForm, toWire } from '#contract/application.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { Drafts } from '#store/drafts.ts'
import { createSignedInSync } from '#support/fixtures/signed-in-sync.ts'
import { createSwitchedSession } from '#support/fixtures/switched-session.ts'
import { flushPromises } from '#support/settle.ts'
import { createMemoryDrafts } from './simulation.ts'

const values = { ...emptyForm(), surname: 'Mbock' }
const typed = newDraft({ values, tab: 'GeneralData' })
const started: Draft = { ...typed, create: { key: 'key-1' } }
const submitted: Draft = {
  ...typed,
  base: { version: 1, values: emptyForm(), additionalData: '', at: 0 },
  submitted: true,
  sending: { key: 'key-2', values, complete: true, baseVersion: 1, additionalData: '' },
}

const created = { ok: true, value: { data: { id: 'app-1', applicationNumber: 'N-1' } } }
const saved = { ok: true, value: { data: { version: 2, digest: 'digest' } } }
const closed = { ok: false, problem: { kind: 'refused', status: 409, reason: 'wrong-state', errors: [] } }
const refused = { ok: false, problem: { kind: 'refused', status: 422, errors: [] } }
const paid = {
  ok: true,
  value: {
    data: ApplicationData.parse({
      ...toWire(emptyForm()),
      additionalData: '',
      version: 2,
      currentState: 'PAID',
    }),
  },
}

/** What each endpoint answers. */
type Answers = Partial<Record<string, unknown>>

/**
 * The page of an applicant with one draft. The storage and the digest are slow: `goOnce` lets them do what they have begun,
 * `goOn` and `changeApplicant` all the rest.
 */
async function openPage(applicationId: string, draft: Draft, answers: Answers) {
  const session = createSwitchedSession()
  const stored = new Map([[applicationId, draft]])
  const calls: string[] = []
  const events: string[] = []
  const slow = createSlowPart()
  createSignedInSync({
    session,
    openDrafts: async () => slowly(createMemoryDrafts(stored, new Map()), slow.wait),
    call: async name => (calls.push(name), answers[name]),
    digestOfForm: async () => (await slow.wait(), 'digest'),
    onEvent: ({ kind }) => void events.push(kind),
  })
  session.change('token-1')
  await flushPromises()
  return {
    calls,
    events,
    /** The applicant leaves, and the next one signs in before the page continues. */
    async changeApplicant() {
      session.change(undefined, 'signed-out')
      stored.clear()
      session.change('token-of-next')
      slow.end()
      await flushPromises()
    },
    async goOn() {
      slow.end()
      await flushPromises()
    },
    async goOnce() {
      slow.endOnce()
      await flushPromises()
    },
  }
}

function createSlowPart() {
  const waiting = new Set<() => void>()
  let hasEnded = false
  const endOnce = () => {
    for (const end of waiting) end()
    waiting.clear()
  }
  return {
    wait: () => new Promise<void>(resolve => (hasEnded ? resolve() : waiting.add(resolve))),
    endOnce,
    end() {
      hasEnded = true
      endOnce()
    },
  }
}

/** The device reads and writes at once, and this page learns of it late. */
function slowly(drafts: Drafts, wait: () => Promise<void>): Drafts {
  return {
    ...drafts,
    find: async id => {
      const found = await drafts.find(id)
      await wait()
      return found
    },
    update: async (...change) => {
      const written = await drafts.update(...change)
      await wait()
      return written
    },
    move: async (...move) => {
      const moved = await drafts.move(...move)
      await wait()
      return moved
    },
  }
}

const lateEvents: [string, string, Draft, Answers][] = [
  ['created', 'local-1', started, { createApplication: created }],
  ['sent', 'app-1', submitted, { saveData: saved }],
  ['replaced', 'app-1', submitted, { saveData: closed, readData: paid }],
  ['not-accepted', 'app-1', submitted, { saveData: refused }],
]

it.each(lateEvents)('tells the applicant of the event %s (D33, S93)', async (kind, id, draft, answered) => {
  const page = await openPage(id, draft, answered)
  await page.goOn()
  expect(page.events).toContain(kind)
})

it.each(lateEvents)(
  'does not tell the next applicant of the event %s of the one before (D31)',
  async (_, id, draft, answered) => {
    const page = await openPage(id, draft, answered)
    await page.changeApplicant()
    expect(page.events).toEqual([])
  },
)

it('does not tell the next applicant that a Submit of the one before was not accepted, when its refusal was saved in time (D31)', async () => {
  const page = await openPage('app-1', submitted, { saveData: refused })
  await page.goOnce()
  await page.changeApplicant()
  expect(page.events).toEqual([])
})

it('reads no application in the session of the next applicant after a write (D31, D61)', async () => {
  const withoutProof = { ok: true, value: { data: { version: 2, digest: 'of other answers' } } }
  const page = await openPage('app-1', submitted, { saveData: withoutProof, readData: paid })
  await page.changeApplicant()
  expect(page.calls).toEqual(['saveData'])
})
