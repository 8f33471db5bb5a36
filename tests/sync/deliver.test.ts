import { describe, expect, it } from 'vitest'
import type { Problem } from '#api/result.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { backoff } from '#sync/backoff.ts'
import { getStuck, nextStep, prepareSending, putOff, readAnswer } from '#sync/deliver.ts'
import { firstPassport } from '#support/applicants.ts'

const base = { version: 3, additionalData: 'kept', values: firstPassport, at: 1 }
const changed = { ...firstPassport, surname: 'Mbock' }
const draft = (more: Partial<Draft>) => newDraft({ values: changed, tab: 'PersonData', base, ...more })
const sending = prepareSending(draft({}), 'key').sending
const usual = { now: 1_000, urgent: false, look: false, takesDrafts: true }

describe('what is done next', () => {
  it.each([
    ['nothing without a form', undefined, {}, 'rest'],
    ['nothing when the server has it all', draft({ values: firstPassport }), {}, 'rest'],
    ['a change is prepared', draft({}), {}, 'prepare'],
    ['a change waits where only whole forms are taken', draft({}), { takesDrafts: false }, 'rest'],
    ['Submit is prepared everywhere', draft({ submitted: true }), { takesDrafts: false }, 'prepare'],
    ['what is on its way goes first', draft({ sending }), {}, 'send'],
    ['an application is created before all else', draft({ create: { key: 'c' }, sending }), {}, 'create'],
    ['a failed try waits', draft({ sending, notBefore: 2_000 }), {}, 'wait'],
    [
      'and does not when somebody waits for it',
      draft({ sending, notBefore: 2_000 }),
      { urgent: true },
      'send',
    ],
    ['an open choice holds everything', draft({ theirs: base, submitted: true }), {}, 'rest'],
    ['a refusal holds everything', getStuck(draft({}), { kind: 'gone' }), { urgent: true }, 'rest'],
    ['the server’s form is read before anything goes there', draft({ base: undefined }), {}, 'read'],
  ] as const)('%s', (_, given, circumstances, kind) => {
    expect(nextStep(given, { ...usual, ...circumstances }).kind).toBe(kind)
  })
})

describe('an answer', () => {
  const answered = {
    statusCode: 400,
    message: undefined,
    errors: [{ field: 'surname', message: 'required' }],
    data: undefined,
  }
  const refused = (status: number, reason?: string): Problem => ({
    ...answered,
    kind: 'refused',
    status,
    reason,
  })
  const cases: [Problem, string][] = [
    [{ kind: 'offline' }, 'again'],
    [{ kind: 'unreachable' }, 'again'],
    [{ ...answered, kind: 'broken', status: 503 }, 'again'],
    [refused(429), 'again'],
    [refused(409, 'in-flight'), 'again'],
    [refused(409, 'stale-version'), 'stale'],
    [refused(409, 'wrong-state'), 'moved-on'],
    [refused(401), 'sign-in'],
    [refused(403), 'not-allowed'],
    [refused(404), 'gone'],
    [refused(422), 'refused'],
    [refused(422, 'key-reused'), 'new-key'],
  ]
  it.each(cases)('%o means %s', (problem, kind) => {
    expect(readAnswer(problem).kind).toBe(kind)
  })

  it('that did not come leaves words and key as they were (D13)', () => {
    const later = putOff(draft({ sending }), { now: 1_000, random: 0.5 })
    expect([later.sending, later.attempts, later.notBefore]).toEqual([sending, 1, 2_000])
  })
})

describe('the wait between tries', () => {
  it('doubles up to five minutes, and is spread by chance', () => {
    expect([1, 2, 3, 20].map(attempts => backoff(attempts, 1))).toEqual([2_000, 4_000, 8_000, 300_000])
    expect(backoff(20, 0.5)).toBe(150_000)
    expect(backoff(1, 0)).toBe(500)
    expect(backoff(1, 0, 9_000)).toBe(9_000)
  })
})
