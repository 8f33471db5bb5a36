import { describe, expect, it } from 'vitest'
import type { Problem } from '#api/result.ts'
import { type Draft, newDraft, parseDraft } from '#store/draft.ts'
import { afterSent, resolveConflicts } from '#sync/merge-draft.ts'
import { backoffMs, scheduleRetry } from '#sync/backoff.ts'
import { markStuck, syncReactionTo } from '#sync/sync-reaction.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { nextStep } from '#sync/next-step.ts'
import { prepareSending, markSubmitted } from '#sync/sending.ts'
import { syncStatusOf } from '#sync/sync-status.ts'
import { withoutUnsendable } from '#sync/unsendable-fields.ts'
import { firstPassport } from '#support/data/applicants.ts'

const acceptsDrafts = true // the server accepts incomplete forms (D14)
const base = { version: 3, additionalData: 'kept', values: firstPassport, at: 1 }
const changed = { ...firstPassport, surname: 'Mbock' }
const draft = (more: Partial<Draft>) => newDraft({ values: changed, tab: 'PersonData', base, ...more })
const sending = prepareSending(draft({}), 'key', true).sending
const usual = { now: 1_000, urgent: false, refresh: false, acceptsDrafts: true }

describe('nextStep', () => {
  it.each([
    ['does nothing without a draft', undefined, {}, 'idle'],
    ['does nothing when the server has all answers', draft({ values: firstPassport }), {}, 'idle'],
    ['prepares a change', draft({}), {}, 'prepare'],
    [
      'does nothing with a change when the server accepts only complete forms',
      draft({}),
      { acceptsDrafts: false },
      'idle',
    ],
    ['prepares a Submit for every server', draft({ submitted: true }), { acceptsDrafts: false }, 'prepare'],
    ['sends a prepared write before a new one', draft({ sending }), {}, 'send'],
    [
      'creates the application before it sends a prepared write',
      draft({ create: { key: 'c' }, sending }),
      {},
      'create',
    ],
    ['waits after a failed try', draft({ sending, notBefore: 2_000 }), {}, 'wait'],
    [
      'sends at once after a failed try when the applicant waits for it',
      draft({ sending, notBefore: 2_000 }),
      { urgent: true },
      'send',
    ],
    [
      'does nothing while the applicant has to resolve a conflict',
      draft({ theirs: base, submitted: true }),
      {},
      'idle',
    ],
    [
      'reads the server’s form again during a conflict when the form opens',
      draft({ theirs: base }),
      { refresh: true },
      'read',
    ],
    ['repeats a failed read during a conflict', draft({ theirs: base, attempts: 1 }), {}, 'read'],
    [
      'does nothing after a refusal, also when the applicant waits for it',
      markStuck(draft({}), { kind: 'refused', faults: [] }),
      { urgent: true },
      'idle',
    ],
    [
      'does nothing with a draft that the server does not know',
      markStuck(draft({}), { kind: 'gone' }),
      {},
      'idle',
    ],
    [
      'reads the server’s form again when the applicant waits for it or at a start, for a draft that the server did not know',
      markStuck(draft({}), { kind: 'gone' }),
      { urgent: true },
      'read',
    ],
    [
      'reads the server’s form again when the form opens, after "not allowed"',
      markStuck(draft({}), { kind: 'not-allowed' }),
      { refresh: true },
      'read',
    ],
    ['ignores a retry time from before a jump of the clock', draft({ notBefore: 10 ** 9 }), {}, 'prepare'],
    ['reads the server’s form before the first write', draft({ base: undefined }), {}, 'read'],
    [
      'repeats a failed read, although there is nothing to send',
      draft({ values: firstPassport, attempts: 1 }),
      {},
      'read',
    ],
  ] as const)('%s', (_, given, circumstances, kind) => {
    expect(nextStep(given, { ...usual, ...circumstances }).kind).toBe(kind)
  })
})

describe('syncReactionTo and scheduleRetry', () => {
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
    [{ kind: 'offline' }, 'retry'],
    [{ kind: 'unreachable', cause: 'no-answer' }, 'retry'],
    [{ ...answered, kind: 'broken', status: 503 }, 'retry'],
    [refused(429), 'retry'],
    [refused(409, 'in-flight'), 'retry'],
    [
      { ...answered, kind: 'broken', status: 409, reason: 'in-flight', data: { paymentId: 'pay-1' } },
      'held-by-order',
    ],
    [
      { ...answered, kind: 'broken', status: 409, reason: 'payment-open', data: { paymentId: 'pay-1' } },
      'retry',
    ],
    [refused(409, 'stale-version'), 'stale'],
    [refused(409, 'wrong-state'), 'wrong-state'],
    [refused(401), 'sign-in'],
    [refused(403, 'forbidden'), 'not-allowed'],
    [refused(404, 'not-found'), 'gone'],
    [refused(403), 'retry'],
    [refused(404), 'retry'],
    [refused(422), 'refused'],
    [refused(422, 'key-reused'), 'new-key'],
  ]
  it.each(cases)('react to %o with %s', (problem, kind) => {
    expect(syncReactionTo(problem).kind).toBe(kind)
  })

  it('keep the body and the key after a call without a response (D13)', () => {
    const later = scheduleRetry(draft({ sending }), { now: 1_000, random: 0.5 })
    expect([later.sending, later.attempts, later.notBefore]).toEqual([sending, 1, 2_000])
  })
})

describe('prepareSending, for a draft that may have changed since nextStep (D32)', () => {
  it.each([
    ['has a conflict', draft({ theirs: { ...base, version: 4 } })],
    ['has no change any more', draft({ values: firstPassport })],
    ['was refused', markStuck(draft({}), { kind: 'refused', faults: [] })],
    ['waits for its creation', draft({ create: { key: 'c' } })],
    ['has another write on its way', draft({ sending })],
  ])('does nothing when the draft %s', (_, newest) => {
    expect(prepareSending(newest, 'later', true)).toBe(newest)
  })

  it('does nothing with a change when the server accepts only complete forms', () => {
    expect(prepareSending(draft({}), 'later', false).sending).toBeUndefined()
  })
})

describe('a Submit that waits (D33)', () => {
  it('sends the changed answers when they have no fault', () => {
    const edited = type(markSubmitted(draft({})), 'Essomba', () => true)
    expect(nextStep(edited, { ...usual, acceptsDrafts: false }).kind).toBe('prepare')
    const { sending: sent } = prepareSending(edited, 'key', true)
    expect([sent?.complete, sent?.values.surname]).toEqual([true, 'Essomba'])
  })

  it('sends a draft while the answers have a fault, and the complete form afterwards (S21)', () => {
    const faulty = type(markSubmitted(draft({})), '', () => false)
    expect(syncStatusOf(faulty, acceptsDrafts)).toMatchObject({
      kind: 'unsent',
      draft: { submitted: true, faulty: true },
    })
    expect(nextStep(faulty, { ...usual, acceptsDrafts: false }).kind).toBe('idle')
    expect(prepareSending(faulty, 'key', true).sending?.complete).toBe(false)
    const corrected = type(faulty, 'Essomba', () => true)
    expect(prepareSending(corrected, 'key', true).sending?.complete).toBe(true)
  })

  it('is sent again with the new answers when they changed during the request', () => {
    const underWay = prepareSending(markSubmitted(draft({})), 'key', true)
    const edited = type(underWay, 'Essomba', () => true)
    if (!underWay.sending) throw new Error('nothing is under way')
    const sent = afterSent(edited, underWay.sending, { version: 4, at: 2 })
    expect([sent.submitted, sent.delivered]).toEqual([true, undefined])
    expect(prepareSending(sent, 'next', true).sending).toMatchObject({
      complete: true,
      values: { surname: 'Essomba' },
    })
  })
})

describe('an unsendable answer (D14)', () => {
  const long = draft({ values: { ...changed, travelDestination: 'é'.repeat(151) } })

  it('stays on the device while the other field groups are sent', () => {
    const { sending: sent } = prepareSending(long, 'key', true)
    expect([sent?.values.surname, sent?.values.travelDestination]).toEqual([
      'Mbock',
      firstPassport.travelDestination,
    ])
    if (!sent) throw new Error('nothing is sent')
    const after = afterSent({ ...long, sending: sent }, sent, { version: 4, at: 2 })
    expect(nextStep(after, usual).kind).toBe('idle')
    expect(after.values.travelDestination).toHaveLength(151)
    expect(syncStatusOf(after, acceptsDrafts)).toMatchObject({
      kind: 'stuck',
      stuck: { kind: 'unfit', fields: ['travelDestination'] },
    })
  })

  it('is sent as the server’s values of its whole field group, or as those of the empty form when the server has no form yet', () => {
    const values = { ...changed, occupation: '33', otherOccupation: 'é'.repeat(27) }
    expect(withoutUnsendable({ values, base })).toEqual(changed)
    expect(withoutUnsendable({ values, base: undefined })).toEqual({
      ...changed,
      occupation: '',
      otherOccupation: '',
    })
  })

  it('is sent as soon as it is valid', () => {
    const short = { ...changed, travelDestination: 'Gabon' }
    const corrected = mergeScreenForm(long, { values: short, tab: 'GeneralData', lastKnown: long })
    expect(prepareSending(corrected, 'key', true).sending?.values.travelDestination).toBe('Gabon')
    expect(syncStatusOf(corrected, acceptsDrafts).kind).toBe('unsent')
  })
})

describe('backoffMs', () => {
  it('doubles up to 5 minutes, with jitter', () => {
    expect([1, 2, 3, 20].map(attempts => backoffMs(attempts, 1))).toEqual([2_000, 4_000, 8_000, 300_000])
    expect(backoffMs(20, 0.5)).toBe(150_000)
    expect(backoffMs(1, 0)).toBe(500)
    expect([9_000, 300_000, 3_600_000].map(asked => backoffMs(1, 0, asked))).toEqual([
      9_000, 300_000, 300_000,
    ])
  })
})

function type(stored: Draft, surname: string, isValid: () => boolean): Draft {
  return mergeScreenForm(stored, {
    values: { ...stored.values, surname },
    tab: 'PersonData',
    lastKnown: stored,
    isValid,
  })
}

describe('resolveConflicts (D32)', () => {
  const theirs = { ...base, version: 4, values: { ...firstPassport, surname: 'Essomba' } }
  const shown = draft({ theirs })
  const picked = { ...changed, surname: 'Essomba' }

  it('takes the choice, and keeps what was typed after the question was shown', () => {
    const typedLater = { ...shown, values: { ...changed, travelDestination: 'Bangui' } }
    const chosen = resolveConflicts(typedLater, { picked, shown })
    expect(chosen.values).toMatchObject({ surname: 'Essomba', travelDestination: 'Bangui' })
    expect([chosen.base, chosen.theirs]).toEqual([theirs, undefined])
  })

  it('asks again when another answer was typed in the same field after the question was shown', () => {
    const typedAgain = { ...shown, values: { ...changed, surname: 'Mbockou' } }
    const chosen = resolveConflicts(typedAgain, { picked, shown })
    expect(chosen.values.surname).toBe('Mbockou')
    expect(syncStatusOf(chosen, acceptsDrafts)).toMatchObject({ kind: 'conflict', conflicts: [{}] })
  })

  it('asks again when the server has a newer form than the one that was shown', () => {
    const newer = {
      ...shown,
      theirs: { ...theirs, version: 5, values: { ...theirs.values, surname: 'Abena' } },
    }
    expect(resolveConflicts(newer, { picked, shown })).toBe(newer)
  })
})

it('asks nothing when two writers of this device changed an answer that the server has unchanged', () => {
  const lastKnown = newDraft({ values: firstPassport, tab: 'PersonData', base })
  const typed = { values: { ...firstPassport, surname: 'Mbockou' }, tab: 'PersonData', lastKnown }
  const merged = mergeScreenForm(draft({ sending }), typed)
  expect(merged.values.surname).toBe('Mbockou')
  expect([merged.base, merged.theirs, merged.sending]).toEqual([base, undefined, sending])
})

it('sends the answer of the server, and no empty one, in place of a text that is too long (D14)', () => {
  const values = { ...firstPassport, travelDestination: 'Gabon', surname: 'x'.repeat(1_001) }
  const row = { values, attempts: 0, notBefore: 0, base }
  const read = parseDraft(row, { tab: 'PersonData', savedAt: 1 })
  expect(read.values.surname).toHaveLength(1_000)
  expect(prepareSending(read, 'key', true).sending?.values.surname).toBe(firstPassport.surname)
})
