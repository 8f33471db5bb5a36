import { describe, expect, it } from 'vitest'
import { refusedProblem } from '#support/data/refused-problem.ts'
import { ApplicationData, type FormValues } from '#contract/application.ts'
import type { ApplicationState } from '#contract/states.ts'
import { type Draft, newDraft, type ServerForm } from '#store/draft.ts'
import {
  afterConfirmed,
  afterMoved,
  afterSent,
  mergeServerData,
  rebase,
  replaceWithServerForm,
  resolveConflicts,
} from '#sync/merge-draft.ts'
import { dropSending, isSendingOutdated, prepareSending } from '#sync/sending.ts'
import { markStuck, syncReactionTo } from '#sync/sync-reaction.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { nextStep } from '#sync/next-step.ts'
import { firstPassport } from '#support/data/applicants.ts'

const named = (surname: string): FormValues => ({ ...firstPassport, surname })
const serverForm = (surname: string, more: Partial<ServerForm> = {}): ServerForm => ({
  version: 3,
  additionalData: 'kept',
  values: named(surname),
  at: 1,
  ...more,
})
const base = serverForm('Ngo')
const draft = (surname: string, more: Partial<Draft> = {}) =>
  newDraft({ values: named(surname), tab: 'PersonData', base, ...more })
const typed = (surname: string, lastKnown: Draft) => ({ values: named(surname), tab: 'NicData', lastKnown })
const write = {
  key: 'k',
  values: named('Mbock'),
  complete: false,
  baseVersion: 3,
  additionalData: 'kept',
}
const failed = { attempts: 3, notBefore: 9 }

describe('the server’s form at a sync (S93, D62)', () => {
  const epoch = 'old'
  it.each<[string, Draft, ApplicationState | undefined, Partial<ServerForm>, string, boolean]>([
    ['is merged in the state NEW', draft('Mbock'), 'NEW', { version: 4 }, 'conflict', false],
    ['is merged when no state is named', draft('Mbock'), undefined, { version: 4 }, 'conflict', false],
    [
      'replaces changes when another device confirmed',
      draft('Mbock'),
      'DATA_SAVED',
      { version: 4 },
      'Essomba',
      true,
    ],
    ['is merged when this device confirmed', draft('Mbock'), 'DATA_SAVED', { version: 3 }, 'conflict', false],
    [
      'is merged when the draft has no base',
      draft('Essomba', { base: undefined }),
      'DATA_SAVED',
      {},
      'Essomba',
      false,
    ],
    [
      'replaces changes when the form is closed',
      draft('Mbock'),
      'PAYMENT_DONE',
      { version: 3 },
      'Essomba',
      true,
    ],
    ['replaces an unchanged draft silently', draft('Ngo'), 'PAYMENT_DONE', { version: 4 }, 'Essomba', false],
    ['replaces equal answers silently', draft('Essomba'), 'PAYMENT_DONE', { version: 4 }, 'Essomba', false],
    [
      'replaces an unchanged draft whose Submit waits',
      draft('Ngo', { submitted: true }),
      'PAYMENT_DONE',
      { version: 4 },
      'Essomba',
      true,
    ],
    [
      'never wins by itself after a restore, while the form is open',
      draft('Ngo', { base: { ...base, epoch } }),
      'DATA_SAVED',
      { version: 4, epoch: 'new' },
      'conflict',
      false,
    ],
    [
      'wins after a restore when the form is closed',
      draft('Ngo', { base: { ...base, epoch } }),
      'PAYMENT_DONE',
      { version: 4, epoch: 'new' },
      'Essomba',
      true,
    ],
  ])('%s', (_, stored, currentState, form, outcome, isReplaced) => {
    const { version = 3, epoch: newEpoch } = form
    const data = ApplicationData.parse({
      ...named('Essomba'),
      version,
      epoch: newEpoch,
      currentState,
      additionalData: 'kept',
    })
    const merged = mergeServerData(stored, data, 7)
    expect(merged.isReplaced).toBe(isReplaced)
    if (outcome === 'conflict') {
      expect(merged.draft.values).toEqual(stored.values)
      expect(merged.draft.theirs).toMatchObject({ version, at: 7, additionalData: 'kept' })
    } else {
      expect([merged.draft.values.surname, merged.draft.theirs]).toEqual([outcome, undefined])
      expect(merged.draft.base).toMatchObject({ version, at: 7 })
    }
  })

  it.each<[string, Draft, ApplicationState, boolean]>([
    ['an open one from a backup that lacks answers', draft('Ngo', { base: { ...base, epoch } }), 'NEW', true],
    [
      'an open one from a backup with the same answers',
      draft('Essomba', { base: { ...base, epoch } }),
      'NEW',
      false,
    ],
    ['a closed one from a backup', draft('Ngo', { base: { ...base, epoch } }), 'PAYMENT_DONE', false],
    ['one that this device has changed', draft('Mbock'), 'NEW', false],
    ['one of another device', draft('Mbock'), 'DATA_SAVED', false],
    ['one of an unchanged draft', draft('Ngo'), 'PAYMENT_DONE', false],
  ])(
    'counts as incomplete only when a restore lost answers: %s',
    (_, stored, currentState, isLostByServer) => {
      const data = ApplicationData.parse({ ...named('Essomba'), version: 4, epoch: 'new', currentState })
      expect(mergeServerData(stored, data, 7).isLostByServer).toBe(isLostByServer)
    },
  )

  it.each([
    [{ kind: 'gone' }, undefined],
    [{ kind: 'not-allowed' }, undefined],
    [
      { kind: 'refused', faults: [] },
      { kind: 'refused', faults: [] },
    ],
  ] as const)('ends only a refusal that was about the application: %j becomes %j', (stuck, after) => {
    const data = ApplicationData.parse({ ...named('Ngo'), version: 3 })
    const mutable = stuck.kind === 'refused' ? { kind: stuck.kind, faults: [] } : stuck
    expect(mergeServerData(draft('Ngo', { stuck: mutable }), data, 1).draft.stuck).toEqual(after)
  })

  it('that is closed leaves nothing to be sent', () => {
    const theirs = serverForm('Essomba', { version: 5 })
    const full = draft('Mbock', { ...failed, sending: write, theirs: base, submitted: true, faulty: true })
    expect(replaceWithServerForm(full, theirs)).toEqual(draft('Essomba', { base: theirs }))
  })
})

describe('a form that was submitted and accepted', () => {
  const accepted = draft('Mbock', { base: serverForm('Mbock'), delivered: true })

  it.each([
    ['the same answers', 'Mbock', true],
    ['answers that another device has changed since', '', undefined],
  ])('with %s on the server counts as accepted: %s', (_, surname, delivered) => {
    expect(rebase(accepted, serverForm(surname, { version: 4 })).delivered).toBe(delivered)
    expect(replaceWithServerForm(accepted, serverForm(surname, { version: 4 })).delivered).toBe(delivered)
  })

  it.each([
    ['the answers of this device', 'Mbock', true],
    ['those of the server', 'Ngo', undefined],
  ])('counts as accepted after a choice of %s: %s', (_, surname, delivered) => {
    const shown = { ...accepted, theirs: serverForm('Ngo', { version: 4 }) }
    const choice = { picked: named(surname), shown }
    expect(resolveConflicts(shown, choice).delivered).toBe(delivered)
  })
})

describe('a confirmed form (D62)', () => {
  const confirmed = serverForm('Essomba', { version: 5 })

  it('is all that the device keeps of the draft when its answers are the same as at the press', () => {
    const full = draft('Mbock', {
      ...failed,
      sending: write,
      theirs: base,
      submitted: true,
      faulty: true,
      stuck: { kind: 'gone' },
      delivered: true,
    })
    expect(afterConfirmed(full, confirmed, named('Mbock'))).toEqual(draft('Essomba', { base: confirmed }))
  })

  it('has what was typed since the press as an unsent change (D30)', () => {
    const server = serverForm('Ngo', { version: 5 })
    for (const atPress of [named('Ngo'), undefined])
      expect(afterConfirmed(draft('Mbock'), server, atPress)).toMatchObject({
        values: { surname: 'Mbock' },
        base: { version: 5, values: { surname: 'Ngo' } },
      })
  })

  it('is kept on a device without a draft, and opens at the first tab', () => {
    const { values } = confirmed
    expect(afterConfirmed(undefined, confirmed, undefined)).toEqual(
      newDraft({ values, tab: 'GeneralData', base: confirmed }),
    )
  })
})

describe('a draft that gets the server’s id (D33)', () => {
  const local = draft('Mbock', { ...failed, base: undefined, create: { key: 'c' } })

  it('is no longer to be created', () => {
    expect(afterMoved(local, undefined)).toEqual(draft('Mbock', { base: undefined, create: undefined }))
  })

  it.each<[string, Draft]>([
    ['has changes', draft('Essomba')],
    ['is being sent', draft('Ngo', { sending: write })],
    ['has a conflict', draft('Ngo', { theirs: base })],
    ['has a Submit that waits', draft('Ngo', { submitted: true })],
    ['has no form of the server', draft('Ngo', { base: undefined })],
  ])('waits while the draft that the device already has under this id %s', (_, existing) => {
    expect(afterMoved(local, existing)).toBeUndefined()
  })

  it('is merged with the form of a draft without changes', () => {
    const moved = afterMoved(local, draft('Ngo'))
    expect(moved).toMatchObject({ values: { surname: 'Mbock' }, theirs: base, attempts: 0, notBefore: 0 })
    expect(moved?.create).toBeUndefined()
  })

  it('remembers that the server had the application before, with or without a draft of it on this device', () => {
    expect(afterMoved(local, undefined)?.hasJoined).toBeUndefined()
    expect(afterMoved(local, undefined, true)?.hasJoined).toBe(true)
    expect(afterMoved(local, draft('Ngo'))?.hasJoined).toBe(true)
  })

  it('takes over a Submit that waits until the answers are corrected', () => {
    const waiting = draft('Ngo', { submitted: true, faulty: true })
    expect(afterMoved(local, waiting)).toMatchObject({ submitted: true, faulty: true })
    const moved = afterMoved(local, draft('Ngo'))
    expect([moved?.submitted, moved?.faulty]).toEqual([undefined, undefined])
  })
})

describe('a write', () => {
  it('is not prepared without a base, and has the version and the additional data of the base', () => {
    const submitted = draft('Mbock', { base: undefined, submitted: true })
    // A Submit without a base is sent after the server's form was read.
    expect(prepareSending(submitted, 'k', true)).toBe(submitted)
    const { sending } = prepareSending(draft('Mbock'), 'k', true)
    expect(sending).toEqual(write)
  })

  it('of a Submit has every answer, also one that a draft would keep back (D14)', () => {
    const values = { ...named('Mbock'), travelDestination: 'é'.repeat(101) }
    const { sending } = prepareSending(newDraft({ ...draft('Mbock'), values, submitted: true }), 'k', true)
    expect([sending?.complete, sending?.values.travelDestination]).toEqual([true, values.travelDestination])
  })

  it('that another one has replaced changes nothing when its answer arrives', () => {
    const answer = { version: 4, at: 2 }
    const other = draft('Mbock', { sending: { ...write, key: 'other' } })
    expect(afterSent(other, write, answer)).toBe(other)
    const none = draft('Mbock')
    expect(afterSent(none, write, answer)).toBe(none)
  })

  it('that was accepted ends a Submit only if it was complete and nothing was typed since', () => {
    const answer = { version: 4, at: 2 }
    const sentForm = { ...answer, values: write.values, additionalData: 'kept' }
    const complete = { ...write, complete: true }
    const submitted = (surname: string, sending = complete) =>
      draft(surname, { ...failed, sending, submitted: true })
    expect(afterSent(submitted('Mbock'), complete, answer)).toEqual(
      draft('Mbock', { base: sentForm, submitted: undefined, delivered: true }),
    )
    expect(afterSent(submitted('Njoya'), complete, answer)).toEqual(
      draft('Njoya', { base: sentForm, submitted: true, delivered: undefined }),
    )
    expect(afterSent(submitted('Mbock', write), write, answer)).toEqual(
      draft('Mbock', { base: sentForm, submitted: true, delivered: undefined }),
    )
  })

  it('that was accepted merges a conflict that arose during it', () => {
    const theirs = serverForm('Essomba', { version: 4 })
    const after = afterSent(draft('Mbock', { sending: write, theirs }), write, { version: 5, at: 2 })
    expect(after.theirs).toBeUndefined()
    expect([after.base?.version, after.values.surname]).toEqual([5, 'Mbock'])
    const typedSince = { ...named('Mbock'), travelDestination: 'Tchad' }
    const edited = draft('Mbock', { values: typedSince, sending: write, theirs })
    const merged = afterSent(edited, write, { version: 5, at: 2 })
    expect([merged.theirs, merged.values.travelDestination]).toEqual([undefined, 'Tchad'])
  })

  it('that was accepted ends a conflict in a field that it did not change', () => {
    const typedSince = { ...named('Mbock'), travelDestination: 'Tchad' }
    const theirs = serverForm('Ngo', {
      version: 4,
      values: { ...named('Ngo'), travelDestination: 'Gabon' },
    })
    const edited = draft('Mbock', { values: typedSince, sending: write, theirs })
    const after = afterSent(edited, write, { version: 5, at: 2 })
    expect([after.theirs, after.values.travelDestination]).toEqual([undefined, 'Tchad'])
  })

  it('that was accepted keeps a conflict, and its base, in a field in which the applicant has typed since', () => {
    const edited = draft('Njoya', { sending: write, theirs: serverForm('Essomba', { version: 4 }) })
    expect(afterSent(edited, write, { version: 5, at: 2 })).toMatchObject({
      base: { version: 3, values: { surname: 'Ngo' } },
      theirs: { version: 5, values: { surname: 'Mbock' } },
    })
  })

  it('that is dropped leaves the draft', () => {
    expect(dropSending(draft('Mbock', { ...failed, sending: write }))).toEqual(draft('Mbock', failed))
  })

  it.each<[string, Draft, boolean]>([
    ['that does not exist is not outdated', draft('Mbock'), false],
    ['with the answers of the draft is not outdated', draft('Mbock', { sending: write }), false],
    ['with other answers than the draft is outdated', draft('Essomba', { sending: write }), true],
  ])('%s', (_, stored, isOutdated) => {
    expect(isSendingOutdated(stored)).toBe(isOutdated)
  })

  it('that was refused leaves neither a write nor a Submit', () => {
    const full = draft('Mbock', { ...failed, sending: write, submitted: true, faulty: true })
    expect(markStuck(full, { kind: 'gone' })).toEqual(draft('Mbock', { stuck: { kind: 'gone' } }))
  })

  it.each([
    [1_000, { kind: 'prepare', acceptsDrafts: true }],
    [1_001, { kind: 'wait', until: 1_001 }],
    [301_000, { kind: 'wait', until: 301_000 }],
    // Further away than the longest delay: the clock has jumped.
    [301_001, { kind: 'prepare', acceptsDrafts: true }],
  ])('with its next attempt at %i has at 1,000 the next step %j', (notBefore, step) => {
    const context = { now: 1_000, urgent: false, refresh: false, acceptsDrafts: true }
    expect(nextStep(draft('Mbock', { attempts: 1, notBefore }), context)).toEqual(step)
  })
})

describe('a choice (D32)', () => {
  const shown = draft('Mbock', { theirs: serverForm('Essomba', { version: 4, epoch: 'e' }) })
  it.each<[string, ServerForm | undefined]>([
    ['the server has another version', serverForm('Essomba', { version: 5, epoch: 'e' })],
    ['the server has another epoch', serverForm('Essomba', { version: 4, epoch: 'f' })],
    ['the server has another answer', serverForm('Njoya', { version: 4, epoch: 'e' })],
    ['the conflict is over', undefined],
  ])('changes nothing when %s by now', (_, theirs) => {
    const later = draft('Mbock', { theirs })
    expect(resolveConflicts(later, { picked: named('Essomba'), shown })).toBe(later)
  })

  it('needs a conflict that was shown', () => {
    expect(resolveConflicts(shown, { picked: named('Essomba'), shown: draft('Mbock') })).toBe(shown)
  })
})

describe('typing', () => {
  it('in a form without a stored draft starts one with what the form knows of the server', () => {
    const known = draft('Ngo', { theirs: serverForm('Essomba'), create: { key: 'c' }, ...failed })
    expect(mergeScreenForm(undefined, typed('Mbock', known))).toEqual(
      newDraft({
        values: named('Mbock'),
        tab: 'NicData',
        base,
        theirs: serverForm('Essomba'),
        create: { key: 'c' },
      }),
    )
  })

  it('that changes no answer keeps a refusal and an acceptance', () => {
    const stuck = draft('Ngo', { stuck: { kind: 'gone' }, delivered: true })
    expect(mergeScreenForm(stuck, typed('Ngo', stuck))).toEqual({ ...stuck, tab: 'NicData' })
    const after = mergeScreenForm(stuck, typed('Mbock', stuck))
    expect([after.stuck, after.delivered]).toEqual([undefined, undefined])
  })

  it('that changes no answer leaves a faulty Submit faulty until the rules find no fault', () => {
    const faulty = draft('Ngo', { submitted: true, faulty: true })
    const after = (isValid: boolean) =>
      mergeScreenForm(faulty, { ...typed('Ngo', faulty), isValid: () => isValid })
    expect([after(false).faulty, after(true).faulty]).toEqual([true, undefined])
  })

  it('over an answer of another tab wins while no server has a form', () => {
    const stored = draft('Essomba', { base: undefined })
    const after = mergeScreenForm(stored, typed('Mbock', draft('Ngo', { base: undefined })))
    expect(after).toEqual(newDraft({ values: named('Mbock'), tab: 'NicData', base: undefined }))
  })

  it('does not shorten the wait for the next attempt', () => {
    expect(mergeScreenForm(draft('Ngo', failed), typed('Mbock', draft('Ngo')))).toMatchObject(failed)
  })

  it('ends the wait of answers that an open order holds, because they may be complete now (D14)', () => {
    const held = draft('Ngo', { ...failed, heldByOrder: true })
    const after = mergeScreenForm(held, typed('Mbock', held))
    expect([after.attempts, after.notBefore, after.heldByOrder]).toEqual([0, 0, undefined])
  })

  it('over an answer that came from the server makes a conflict, whose base is the form that the applicant saw', () => {
    const newer = serverForm('Essomba', { version: 4 })
    const stored = draft('Essomba', { base: newer })
    expect(mergeScreenForm(stored, typed('Mbock', draft('Ngo')))).toEqual(
      draft('Mbock', { tab: 'NicData', theirs: newer }),
    )
  })

  it.each([
    ['the server’s answer that the form knew', base, 'Ngo'],
    ['no answer when the form knew no server', undefined, ''],
  ])('over an answer of another tab during a conflict compares with %s', (_, known, surname) => {
    const theirs = serverForm('Essomba', { version: 4 })
    const stored = draft('Njoya', { theirs, base: serverForm('Njoya') })
    const after = mergeScreenForm(stored, typed('Mbock', draft('Ngo', { base: known })))
    expect(after).toEqual(draft('Mbock', { tab: 'NicData', theirs, base: serverForm(surname) }))
  })

  it('over an answer of another tab keeps the version of the server’s form that this form knew', () => {
    const stored = draft('Njoya', { base: serverForm('Ngo', { version: 4 }) })
    const known = serverForm('Ngo', { version: 2 })
    const newer = { ...stored, base: serverForm('Essomba', { version: 4 }) }
    const after = mergeScreenForm(newer, typed('Mbock', draft('Ngo', { base: known })))
    expect([after.base?.version, after.theirs?.version]).toEqual([2, 4])
    const unknown = mergeScreenForm(newer, typed('Mbock', draft('Ngo', { base: undefined })))
    expect([unknown.base?.version, unknown.theirs?.version]).toEqual([4, 4])
  })

  it('over an answer of another tab takes no server for restored when this page has read a newer form than that tab (D62)', () => {
    // A full disk did not save the form that the page has read.
    const newer = serverForm('Ngo', { version: 4, at: 2 })
    const after = mergeScreenForm(draft('Njoya'), typed('Mbock', draft('Ngo', { base: newer })))
    expect(after).toEqual(draft('Mbock', { tab: 'NicData' }))
  })

  it.each([
    ['known', 1],
    ['not known', 0],
  ])(
    'over an answer of another tab takes no server for restored when this form began with a newer copy, and the time of the other copy is %s (D62)',
    (_, at) => {
      const newer = serverForm('Ngo', { version: 4, at: 0 })
      const stored = draft('Njoya', { base: serverForm('Ngo', { at }) })
      const after = mergeScreenForm(stored, typed('Mbock', draft('Ngo', { base: newer })))
      expect(after).toEqual(draft('Mbock', { tab: 'NicData', base: stored.base }))
    },
  )

  it('over an answer of another tab notices that the server was restored, also when the clock of the phone was set back (D62)', () => {
    const known = serverForm('Ngo', { epoch: 'old', at: 1_000 })
    const restored = serverForm('Ngo', { epoch: 'new', version: 1_003, at: 2 })
    const after = mergeScreenForm(
      draft('Njoya', { base: restored }),
      typed('Mbock', draft('Ngo', { base: known })),
    )
    expect(after).toEqual(draft('Mbock', { tab: 'NicData', base: known, theirs: restored }))
  })

  it('over an answer of another tab takes no server for restored when it was, and only this page has read its form (D62)', () => {
    const newer = serverForm('Ngo', { epoch: 'new', version: 1_003, at: 2 })
    const stored = serverForm('Ngo', { epoch: 'old', at: 1_000 })
    const after = mergeScreenForm(
      draft('Njoya', { base: stored }),
      typed('Mbock', draft('Ngo', { base: newer })),
    )
    expect(after).toEqual(draft('Mbock', { tab: 'NicData', base: stored }))
  })

  it('the answer of the server ends the conflict', () => {
    const theirs = serverForm('Essomba', { version: 4 })
    const conflict = draft('Mbock', { theirs })
    expect(mergeScreenForm(conflict, typed('Essomba', conflict))).toMatchObject({
      base: theirs,
      values: theirs.values,
    })
    expect(mergeScreenForm(conflict, typed('Essomba', conflict)).theirs).toBeUndefined()
  })

  it('makes no conflict while the server has the form that the applicant saw', () => {
    expect(mergeScreenForm(draft('Ngo'), typed('Mbock', draft('Ngo')))).toEqual(
      draft('Mbock', { tab: 'NicData' }),
    )
    expect(rebase(draft('Ngo', failed), base)).toEqual(draft('Ngo'))
  })
})

describe('a refusal of the server', () => {
  it.each([408, 425, 429])('with status %i lets the sync try again later', status => {
    expect(syncReactionTo(refusedProblem({ status }))).toEqual({ kind: 'retry' })
  })

  it('names the fields that it is about', () => {
    const errors = [
      'text',
      { message: 'no field' },
      { field: 'surname', message: 'required' },
      { field: 'email' },
    ]
    expect(syncReactionTo(refusedProblem({ errors }))).toEqual({
      kind: 'refused',
      faults: [
        { field: 'surname', message: 'required' },
        { field: 'email', message: undefined },
      ],
    })
  })
})
