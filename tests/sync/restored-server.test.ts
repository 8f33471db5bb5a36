import { describe, expect, it } from 'vitest'
import { ApplicationData, emptyForm, type FormValues } from '#contract/application.ts'
import { type Draft, newDraft, type ServerForm } from '#store/draft.ts'
import {
  afterSent,
  isOvertaken,
  mergeServerData,
  rebase,
  replaceWithServerForm,
  resolveConflicts,
} from '#sync/merge-draft.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { nextStep } from '#sync/next-step.ts'
import { prepareSending, markSubmitted } from '#sync/sending.ts'
import { syncStatusOf } from '#sync/sync-status.ts'
import { firstPassport } from '#support/data/applicants.ts'

const acceptsDrafts = true // the server accepts incomplete forms (D14)
const base = { version: 3, additionalData: 'kept', values: firstPassport, at: 1 }
const changed = { ...firstPassport, surname: 'Mbock' }
const draft = (more: Partial<Draft>) => newDraft({ values: changed, tab: 'PersonData', base, ...more })
const usual = { now: 1_000, urgent: false, refresh: false, acceptsDrafts: true }

const serverData = (form: Partial<FormValues>, more: { version: number; epoch?: string }): ApplicationData =>
  ApplicationData.parse({ ...firstPassport, ...form, ...more })

/** The applicant changes these answers, and the server accepts them as this version. */
function send(known: Draft, changes: Partial<FormValues>, version: number): Draft {
  const typed = { ...known, values: { ...known.values, ...changes } }
  const prepared = prepareSending(typed, `key ${version}`, true)
  if (!prepared.sending) throw new Error('Nothing is to be sent')
  return afterSent(prepared, prepared.sending, { version, epoch: 'before', at: 1 })
}

describe('a server that was restored from a backup (D62)', () => {
  const at = 2
  const synced = draft({ values: changed, base: { ...base, epoch: 'before', values: changed } })

  it.each([
    ['has another epoch', { version: 9, epoch: 'after' }],
    ['has an older version, because the command after-restore was not run', { version: 2, epoch: 'before' }],
  ])('does not win by itself while the form is open: %s', (_, more) => {
    const { draft: merged } = mergeServerData(synced, serverData({ surname: 'Older' }, more), at)
    expect(merged.values.surname).toBe('Mbock')
    expect(syncStatusOf(merged, acceptsDrafts)).toMatchObject({ kind: 'conflict' })
  })

  it('empties no answer: what it has lost is sent again', () => {
    const { draft: merged } = mergeServerData(
      synced,
      serverData({ surname: '' }, { version: 9, epoch: 'after' }),
      at,
    )
    expect(merged.values.surname).toBe('Mbock')
    expect(nextStep(merged, usual).kind).toBe('prepare')
  })

  const afterRestore = { version: 9, epoch: 'after' }
  const conflictsOf = (
    values: Partial<FormValues>,
    known: Partial<FormValues>,
    theirs: Partial<FormValues>,
  ) => {
    const mine = { ...firstPassport, ...values }
    const before = { ...base, epoch: 'before', values: { ...firstPassport, ...known } }
    const { draft: merged } = mergeServerData(
      draft({ values: mine, base: before }),
      serverData(theirs, afterRestore),
      at,
    )
    const status = syncStatusOf(merged, acceptsDrafts)
    return {
      values: merged.values,
      fields: status.kind === 'conflict' ? status.conflicts.map(c => c.fields[0]) : [],
    }
  }
  const otherGender = '11217'

  it.each([
    ['gender', { gender: emptyForm().gender }, { gender: otherGender }],
    ['reason', { reason: emptyForm().reason }, { reason: '11212' }],
  ] as const)('replaces no default that was chosen and sent after the backup: %s', (field, mine, theirs) => {
    const { values, fields } = conflictsOf(mine, mine, theirs)
    expect(values[field]).toBe(emptyForm()[field])
    expect(fields).toEqual([field])
  })

  it('empties no answer when a foreign answer without a version comes in place of its form (D60)', () => {
    const foreign = ApplicationData.parse({ login: 'need' })
    const { draft: next } = mergeServerData(draft({ values: firstPassport }), foreign, at)
    expect(next.values).toEqual(firstPassport)
  })

  it('makes a conflict of an answer that was emptied and not yet sent', () => {
    const { values, fields } = conflictsOf({ email: '' }, { email: 'a@b.cm' }, { email: 'a@b.cm' })
    expect([values.email, fields]).toEqual(['', ['email']])
  })

  it('fills what this device has never answered', () => {
    const { values, fields } = conflictsOf({ email: '' }, { email: '' }, { email: 'a@b.cm' })
    expect([values.email, fields]).toEqual(['a@b.cm', []])
  })

  it.each([
    ['in the last save', (known: Draft) => known],
    ['before the last save', (known: Draft) => send(known, { surname: 'Later' }, 5)],
  ])('does not bring back an answer that was emptied and sent %s', (_, then) => {
    const answered = draft({ values: firstPassport, base: { ...base, epoch: 'before' } })
    const known = then(send(answered, { reasonForTravel: '' }, 4))
    const older = serverData({ surname: known.values.surname }, afterRestore)
    const { draft: merged } = mergeServerData(known, older, at)
    expect(merged.values.reasonForTravel).toBe('')
    expect(syncStatusOf(merged, acceptsDrafts)).toMatchObject({
      kind: 'conflict',
      conflicts: [{ fields: ['reasonForTravel'] }],
    })
  })

  it('does not bring back an answer that another device emptied in a form that had a conflict', () => {
    const answered = { ...firstPassport, surname: 'Mine' }
    const known = draft({ values: answered, base: { ...base, epoch: 'before', values: firstPassport } })
    const newer = { surname: 'Theirs', reasonForTravel: '' } as const
    const conflicting = rebase(known, {
      ...base,
      epoch: 'before',
      version: 4,
      values: { ...firstPassport, ...newer },
    })
    const picked = { ...answered, reasonForTravel: '' }
    const resolved = send(resolveConflicts(conflicting, { picked, shown: conflicting }), {}, 5)
    const { draft: merged } = mergeServerData(resolved, serverData({ surname: 'Mine' }, afterRestore), at)
    expect(merged.values.reasonForTravel).toBe('')
    expect(syncStatusOf(merged, acceptsDrafts)).toMatchObject({
      conflicts: [{ fields: ['reasonForTravel'] }],
    })
  })

  it('does not bring back an answer that was emptied in a form of the server that replaced the draft', () => {
    const known = draft({ values: firstPassport, base: { ...base, epoch: 'before' } })
    const emptied = {
      ...base,
      epoch: 'before',
      version: 4,
      values: { ...firstPassport, reasonForTravel: '' },
    }
    const replaced = replaceWithServerForm(known, emptied)
    const { draft: merged } = mergeServerData(replaced, serverData({}, afterRestore), at)
    expect(merged.values.reasonForTravel).toBe('')
  })

  it('does not bring back an emptied answer when the draft is saved again after another tab removed it', () => {
    const answered = draft({ values: firstPassport, base: { ...base, epoch: 'before' } })
    const known = send(answered, { reasonForTravel: '' }, 4)
    const typed = mergeScreenForm(undefined, { values: known.values, tab: 'PersonData', lastKnown: known })
    const { draft: merged } = mergeServerData(typed, serverData({}, afterRestore), at)
    expect(merged.values.reasonForTravel).toBe('')
  })

  it('forgets that an answer was emptied when it is given again', () => {
    const answered = draft({ values: firstPassport, base: { ...base, epoch: 'before' } })
    const again = send(send(answered, { reasonForTravel: '' }, 4), { reasonForTravel: 'Tourisme' }, 5)
    expect(again.emptied).toBeUndefined()
  })

  it('does not replace, with its older form, the newer one from which the applicant still has to choose', () => {
    const known = { ...base, epoch: 'before', values: changed }
    const started = markSubmitted(
      newDraft({ values: { ...emptyForm(), givenName: 'Ada' }, tab: 'PersonData' }),
    )
    const moved = rebase(started, known)
    expect(syncStatusOf(moved, acceptsDrafts)).toMatchObject({ kind: 'conflict' })
    const read = mergeServerData(moved, serverData({ surname: '' }, afterRestore), at)
    expect([read.isReplaced, read.isLostByServer]).toEqual([false, false])
    const { draft: merged } = read
    expect(merged.theirs).toEqual(known)
    const picked = { ...merged.values, surname: changed.surname }
    const chosen = resolveConflicts(merged, { picked, shown: merged })
    const { draft: readLater } = mergeServerData(chosen, serverData({ surname: '' }, afterRestore), at)
    expect(readLater.values.surname).toBe(changed.surname)
  })

  it('is synced as before when both have the same answers', () => {
    const { draft: merged } = mergeServerData(synced, serverData(changed, { version: 9, epoch: 'after' }), at)
    expect(nextStep(merged, usual).kind).toBe('idle')
    expect(merged.base).toMatchObject({ version: 9, epoch: 'after' })
  })

  it('wins over an unchanged draft again once its epoch is known', () => {
    const { draft: known } = mergeServerData(synced, serverData(changed, { version: 9, epoch: 'after' }), at)
    const { draft: merged } = mergeServerData(
      known,
      serverData({ surname: 'Newer' }, { version: 10, epoch: 'after' }),
      at,
    )
    expect(merged.values.surname).toBe('Newer')
  })
})

describe('a form that was started offline, when the applicant already has an open application', () => {
  const other = serverData({ gender: '11217' }, { version: 4 })
  const local = { ...firstPassport, gender: emptyForm().gender }

  it('asks for each answer that differs, because the applicant has submitted the form without seeing the other one', () => {
    const { draft: merged } = mergeServerData(
      markSubmitted(newDraft({ values: local, tab: 'PersonData' })),
      other,
      2,
    )
    expect(merged.values.gender).toBe(local.gender)
    expect(nextStep(merged, usual).kind).toBe('idle')
    expect(syncStatusOf(merged, acceptsDrafts)).toMatchObject({
      kind: 'conflict',
      conflicts: [{ fields: ['gender'] }],
    })
  })

  it('takes the answers that the form does not have, while it is not submitted', () => {
    const started = newDraft({ values: { ...emptyForm(), surname: 'A' }, tab: 'PersonData' })
    const { draft: merged } = mergeServerData(started, serverData({ surname: '' }, { version: 4 }), 2)
    expect(merged.values).toMatchObject({ surname: 'A', gender: firstPassport.gender })
  })
})

it('takes no older answer from a restored server when two writers of this device changed another answer (D62)', () => {
  const known = { ...base, version: 9, epoch: 'before' }
  const newer = { version: 10, epoch: 'after', additionalData: '', at: 2 }
  const older = { ...firstPassport, surname: '' }
  const stored = newDraft({ values: changedTo('Gabon'), tab: '', base: { ...newer, values: older } })
  const lastKnown = newDraft({ values: firstPassport, tab: '', base: known })
  const merged = mergeScreenForm(stored, { values: changedTo('Tchad'), tab: '', lastKnown })
  expect([merged.values.surname, merged.values.travelDestination]).toEqual([firstPassport.surname, 'Tchad'])
})

function changedTo(travelDestination: string): FormValues {
  return { ...firstPassport, travelDestination }
}

it.each<[string, number | undefined, number | undefined, boolean]>([
  ['is used while the device knows no form', undefined, undefined, false],
  ['is used when the draft has lost its base during the read', undefined, 3, false],
  ['is ignored when a newer form was confirmed during the first read', 6, undefined, true],
  ['is ignored when a newer form was confirmed during the read', 6, 5, true],
  ['is used when the server has gone back before the read began', 6, 6, false],
])('a form of version 5 %s (D62)', (_, known, before, isIgnored) => {
  const data = serverData({}, { version: 5 })
  expect(isOvertaken(draft({ base: baseOf(known) }), data, baseOf(before))).toBe(isIgnored)
})

function baseOf(version: number | undefined): ServerForm | undefined {
  return version === undefined ? undefined : { ...base, version }
}
