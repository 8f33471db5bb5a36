import { describe, expect, it } from 'vitest'
import type { Call } from '#api/client.ts'
import { emptyForm } from '#contract/application.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { doNothing } from '#device/do-nothing.ts'
import { createSync } from '#sync/engine.ts'
import { createSwitchedSession } from '#support/fixtures/switched-session.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { flushPromises } from '#support/settle.ts'
import { createMemoryDrafts } from './simulation.ts'

const pauseMs = 60_000

/** An engine with a draft that waits for its retry and one that is due, and a session that the test switches. */
async function openEngine() {
  const device = createFakeDevice()
  const calls: string[] = []
  let answer: 'unreachable' | 'key-reused' | 401 | { retryAfterSeconds: number } = 'unreachable'
  let onCall: (() => void) | undefined
  let acceptsDrafts = Promise.resolve(true)
  const session = createSwitchedSession()
  const draft = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'key-1' } })
  const stored = new Map<string, Draft>([
    ['local-1', { ...draft, attempts: 3, notBefore: device.now() + pauseMs }],
    ['local-2', { ...draft, create: { key: 'key-2' } }],
  ])
  const sync = createSync({
    device,
    random: () => 1,
    openDrafts: async () => createMemoryDrafts(stored, new Map()),
    // The fake fails every call in the same way.
    call: (async (name: string, _input: unknown, options: { key?: string }) => {
      calls.push(options.key ?? name)
      onCall?.()
      if (answer === 'key-reused')
        return { ok: false, problem: { kind: 'refused', status: 422, reason: answer, errors: [] } }
      if (typeof answer === 'object')
        return { ok: false, problem: { kind: 'refused', status: 429, errors: [], ...answer } }
      return answer === 401
        ? { ok: false, problem: { kind: 'refused', status: 401, errors: [] } }
        : { ok: false, problem: { kind: 'unreachable', cause: 'no-answer' } }
    }) as unknown as Call,
    session,
    connectivity: { isUnreachable: () => false, subscribe: () => () => undefined },
    acceptsDrafts: () => acceptsDrafts,
    serverEpoch: async () => undefined,
    digestOfForm,
    onEvent: () => undefined,
    setOnlyInPage: () => undefined,
  })
  return {
    device,
    calls,
    session,
    sync,
    stored,
    answerWith: (next: typeof answer) => (answer = next),
    onCall: (next: () => void) => void (onCall = next),
    /** Until the returned function is called, the sync cannot choose the next step of a draft, which it has read already. */
    holdSteps: () => {
      let release = doNothing
      acceptsDrafts = new Promise(resolve => {
        release = () => resolve(true)
      })
      return () => release()
    },
  }
}

describe('the sync engine', () => {
  it('sends at once and ignores the backoff when an applicant signs in (D33)', async () => {
    const { calls, session } = await openEngine()
    session.change('token-1')
    await expect.poll(() => [...calls].sort()).toEqual(['key-1', 'key-2'])
  })

  it('sends no draft in the session of an applicant who signs in after the draft was read (D31)', async () => {
    const { calls, session, stored, holdSteps } = await openEngine()
    const release = holdSteps()
    session.change('token-1')
    await flushPromises()
    session.change(undefined, 'signed-out')
    // The next applicant has no drafts.
    stored.clear()
    session.change('token-of-next')
    release()
    await flushPromises()
    expect(calls).toEqual([])
  })

  it('keeps the backoff when the token is refreshed (SES04, D33)', async () => {
    const { device, calls, session, stored } = await openEngine()
    session.change('token-1')
    await expect.poll(() => stored.get('local-2')?.attempts).toBe(1)
    await expect.poll(() => stored.get('local-1')?.attempts).toBe(4)
    calls.length = 0
    session.change('token-2')
    session.change('token-2')
    await flushPromises()
    expect(calls).toEqual([])
    await device.advance(5 * 60_000)
    expect(calls).toContain('key-1')
  })

  it('sends a draft again after a refresh when the server refused the token before (SES06)', async () => {
    const { calls, session, answerWith } = await openEngine()
    answerWith(401)
    session.change('token-1')
    await expect.poll(() => calls).toContain('key-2')
    calls.length = 0
    session.change('token-2')
    await expect.poll(() => calls).toContain('key-2')
  })

  it('reads the server’s copy again after a refresh when the server refused the token before (SES06)', async () => {
    const { calls, session, stored, sync, answerWith } = await openEngine()
    stored.clear()
    const base = { version: 1, additionalData: '', values: emptyForm(), at: 0 }
    stored.set('app-1', newDraft({ values: emptyForm(), tab: 'GeneralData', base }))
    answerWith(401)
    session.change('token-1')
    await flushPromises()
    sync.refresh('app-1')
    await expect.poll(() => calls).toEqual(['readData'])
    await flushPromises()
    session.change('token-2')
    await expect.poll(() => calls).toEqual(['readData', 'readData'])
  })

  it('pauses when the server refuses each new token too, and then tries again', async () => {
    const { device, calls, session, stored, sync, answerWith, onCall } = await openEngine()
    stored.clear()
    const base = { version: 1, additionalData: '', values: emptyForm(), at: 0 }
    stored.set('app-1', newDraft({ values: emptyForm(), tab: 'GeneralData', base }))
    answerWith(401)
    session.change('token-0')
    await flushPromises()
    let tokenCount = 0
    // As the client does before it repeats a call.
    onCall(() => session.change(`token-${(tokenCount += 1)}`))
    sync.refresh('app-1')
    for (let turn = 0; turn < 20; turn += 1) await flushPromises()
    expect(calls.length).toBeLessThan(4)
    const countBefore = calls.length
    await device.advance(10 * 60_000)
    expect(calls.length).toBeGreaterThan(countBefore)
  })

  it.each([
    [60, 60],
    [3_600, 300],
  ])(
    'waits after a 429 for the %i s of its Retry-After, but for at most 5 minutes: %i s (D33)',
    async (asked, waited) => {
      const { device, calls, session, stored, answerWith } = await openEngine()
      stored.delete('local-1')
      answerWith({ retryAfterSeconds: asked })
      session.change('token-1')
      await expect.poll(() => stored.get('local-2')?.attempts).toBe(1)
      calls.length = 0
      await device.advance((waited - 1) * 1_000)
      expect(calls).toEqual([])
      await device.advance(1_000)
      await expect.poll(() => calls).toEqual(['key-2'])
    },
  )

  it('creates under a new key after a pause when the server knows the key with another body (D13)', async () => {
    const { device, calls, session, stored, answerWith, onCall } = await openEngine()
    stored.delete('local-1')
    answerWith('key-reused')
    // Ends the endless repetition that this test forbids.
    onCall(() => calls.length > 20 && session.change(undefined, 'signed-out'))
    session.change('token-1')
    await expect.poll(() => calls).toContain('key-2')
    for (let turn = 0; turn < 20; turn += 1) await flushPromises()
    expect(calls).toEqual(['key-2'])
    await device.advance(10_000)
    await expect.poll(() => calls.length).toBeGreaterThan(1)
    expect(calls.slice(1)).not.toContain('key-2')
  })

  it('sends at once when a page that started offline gets its first token (S96)', async () => {
    const { calls, session } = await openEngine()
    session.change(undefined, 'signed-in')
    await flushPromises()
    expect(calls).toEqual([])
    session.change('token-1')
    await expect.poll(() => calls).toContain('key-1')
  })

  it('syncs only the application that was edited when typing pauses (OFF05)', async () => {
    const { device, calls, session, sync, stored } = await openEngine()
    session.change('token-1')
    await expect.poll(() => stored.get('local-1')?.attempts).toBe(4)
    await expect.poll(() => stored.get('local-2')?.attempts).toBe(1)
    calls.length = 0
    const lastKnown = newDraft({ values: emptyForm(), tab: 'GeneralData' })
    for (const id of ['local-1', 'local-2']) {
      const draft = stored.get(id)
      if (draft) stored.set(id, { ...draft, attempts: 0, notBefore: 0 })
    }
    await sync.save('local-2', {
      values: { ...emptyForm(), surname: 'Mbock' },
      tab: 'GeneralData',
      lastKnown,
    })
    await device.advance(2_000)
    await expect.poll(() => calls).toEqual(['key-2'])
  })
})
