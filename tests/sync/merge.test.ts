import { describe, expect, it } from 'vitest'
import { emptyForm, type FormValues, normaliseForm } from '#contract/application.ts'
import { defaultGender } from '#contract/codes.ts'
import { differingGroups, fieldGroups } from '#contract/field-groups.ts'
import { newDraft } from '#store/draft.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { rebase, resolveConflicts } from '#sync/merge-draft.ts'
import { emptiedGroups, mergeForms, mergeOlderForm } from '#sync/merge.ts'
import { syncStatusOf } from '#sync/sync-status.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { type Interleaving, interleavings } from './interleavings.ts'

const acceptsDrafts = true // the server accepts incomplete forms (D14)
const base = firstPassport
const form = (changes: Partial<FormValues>): FormValues => ({ ...base, ...changes })

describe('the emptied groups of a form (D62)', () => {
  it('are named by their first field alone', () => {
    const before = form({ dayOfBirth: '27', monthOfBirth: '03', yearOfBirth: '1990' })
    const after = form({ dayOfBirth: '', monthOfBirth: '', yearOfBirth: '' })
    expect(emptiedGroups({ before, after })).toEqual(['dayOfBirth'])
  })
})

describe('two forms that began as one', () => {
  it.each([
    ['neither changed', {}, {}, {}, []],
    ['only mine changed', { surname: 'A' }, {}, { surname: 'A' }, []],
    ['only theirs changed', {}, { surname: 'B' }, { surname: 'B' }, []],
    [
      'both changed different answers',
      { surname: 'A' },
      { givenName: 'B' },
      { surname: 'A', givenName: 'B' },
      [],
    ],
    ['both changed one answer to the same value', { surname: 'A' }, { surname: 'A' }, { surname: 'A' }, []],
    [
      'both changed one answer alike but for spaces',
      { surname: 'A ' },
      { surname: 'A' },
      { surname: 'A ' },
      [],
    ],
    [
      'both changed one answer to different values',
      { surname: 'A' },
      { surname: 'B' },
      { surname: 'A' },
      ['surname'],
    ],
    [
      'both changed different parts of a date',
      { dayOfBirth: '01' },
      { yearOfBirth: '1991' },
      { dayOfBirth: '01' },
      ['dayOfBirth'],
    ],
    [
      'both changed different parts of a place',
      { localityId: '1' },
      { regionCode: 'WEST' },
      { localityId: '1' },
      ['placeOfBirth'],
    ],
  ])('D32 %s', (_, mine, theirs, values, chosen) => {
    const merged = mergeForms({ base, mine: form(mine), theirs: form(theirs) })
    expect(merged.values).toEqual(form(values))
    expect(merged.conflicts).toEqual(
      chosen.map(name => expect.objectContaining({ fields: expect.arrayContaining([name]) })),
    )
  })

  it('have no conflict about a repeated space, also while another answer is too long (D32)', () => {
    const tooLong = 'é'.repeat(101)
    const mine = form({ travelDestination: tooLong, surname: 'Ngo  Biyong ', email: ' a@b.cm' })
    const theirs = form({ surname: 'Ngo Biyong', email: 'a@b.cm' })
    const merged = mergeForms({ base, mine, theirs })
    expect(merged.conflicts).toEqual([])
    expect(merged.values.travelDestination).toBe(tooLong)
    expect(differingGroups(mine, theirs)).toEqual([['travelDestination']])
  })

  it('are compared with the empty form when they have no common base', () => {
    const mine = { ...emptyForm(), surname: 'A' }
    const theirs = { ...emptyForm(), givenName: 'B' }
    const merged = mergeForms({ base: undefined, mine, theirs })
    expect([merged.values.surname, merged.values.givenName, merged.conflicts]).toEqual(['A', 'B', []])
  })

  it('have every field in exactly one field group', () => {
    expect(fieldGroups.flat().toSorted()).toEqual(Object.keys(emptyForm()).toSorted())
  })
})

describe('a form that may be older than mine (D62)', () => {
  const empty = emptyForm()
  const plain = { gender: defaultGender }
  const unanswered = form({ phoneNumber: '', dayOfBirth: '', monthOfBirth: '', yearOfBirth: '' })

  it.each<[string, FormValues | undefined, Partial<FormValues>, Partial<FormValues>, string[]]>([
    ['fills a phone number that I never had', unanswered, {}, { phoneNumber: '671234567' }, []],
    [
      'asks when there is no base (only a submitted form has none here)',
      undefined,
      {},
      { phoneNumber: '671234567' },
      ['dialCode'],
    ],
    ['fills a date that I never had', unanswered, {}, { dayOfBirth: '1', yearOfBirth: '1990' }, []],
    [
      'asks when I have half of a date',
      unanswered,
      { yearOfBirth: '1991' },
      { dayOfBirth: '1', yearOfBirth: '1990' },
      ['dayOfBirth'],
    ],
    [
      'asks when I had half of a date, and emptied it',
      form({ ...unanswered, yearOfBirth: '1991' }),
      {},
      { dayOfBirth: '1', yearOfBirth: '1990' },
      ['dayOfBirth'],
    ],
    [
      'asks when I said that the date is unknown',
      unanswered,
      { dateOfBirthUnknown: true },
      { dayOfBirth: '1', yearOfBirth: '1990' },
      ['dayOfBirth'],
    ],
    [
      'asks when mine has only the default',
      { ...unanswered, ...plain },
      plain,
      { gender: '11217' },
      ['gender'],
    ],
  ])('%s', (_, before, mine, theirs, asked) => {
    const ours = { ...unanswered, ...mine }
    const others = { ...unanswered, ...theirs }
    const merged = mergeOlderForm({ base: before, mine: ours, theirs: others })
    expect(merged.conflicts.map(({ fields }) => fields[0])).toEqual(asked)
    expect(merged.values).toEqual(asked.length === 0 ? others : ours)
  })

  it('never replaces an answer of mine by the defaults of a new form', () => {
    const merged = mergeOlderForm({ base: undefined, mine: base, theirs: empty })
    expect(merged).toEqual({ values: base, conflicts: [] })
  })
})

describe('an answer that is typed over an answer of another device that the form does not show yet (D32)', () => {
  const serverForm = (version: number, changes: Partial<FormValues>) => ({
    version,
    additionalData: '',
    values: form(changes),
    at: 0,
  })
  const opened = newDraft({ values: form({}), tab: 'PersonData', base: serverForm(1, {}) })
  const typedHere = { ...opened, values: form({ givenName: 'Here' }) }
  const merged = rebase(typedHere, serverForm(2, { surname: 'Elsewhere' }))
  const conflicting = rebase(merged, serverForm(3, { surname: 'Elsewhere', givenName: 'There' }))

  it.each([
    ['no conflict waits', merged, ['surname']],
    ['a conflict of another answer waits', conflicting, ['givenName', 'surname']],
  ])('is asked about when %s', (_, stored, asked) => {
    const values = form({ givenName: 'Here', surname: 'Typed' })
    const after = mergeScreenForm(stored, { values, tab: 'PersonData', lastKnown: typedHere })
    expect(after.values).toMatchObject({ givenName: 'Here', surname: 'Typed' })
    const status = syncStatusOf(after, acceptsDrafts)
    const conflicts = status.kind === 'conflict' ? status.conflicts : []
    expect(conflicts.flatMap(({ fields }) => fields).toSorted()).toEqual(asked)
  })
})

describe('a form that moved to an open application while another tab shows that application (D32, D33)', () => {
  const server = {
    version: 4,
    additionalData: '',
    values: { ...emptyForm(), travelDestination: 'Tchad', resAddressStreet: 'Rue 1' },
    at: 0,
  }
  const moved = rebase(
    newDraft({
      values: { ...emptyForm(), travelDestination: 'Gabon', motherSurname: 'Local' },
      tab: 'PersonData',
    }),
    server,
  )
  const lastKnown = newDraft({ values: server.values, tab: 'PersonData', base: server })
  const typed = { ...server.values, motherSurname: 'Typed' }
  const after = mergeScreenForm(moved, { values: typed, tab: 'PersonData', lastKnown })

  it('empties no answer that only the application had', () => {
    expect(moved.values.resAddressStreet).toBe('Rue 1')
    expect(after.values).toMatchObject({ resAddressStreet: 'Rue 1', motherSurname: 'Typed' })
  })

  it('keeps what the applicant changes while the conflict waits, also to a default or to nothing', () => {
    const shown = rebase(newDraft({ values: { ...emptyForm(), surname: 'Local' }, tab: 'PersonData' }), {
      ...server,
      values: { ...emptyForm(), surname: 'Server', gender: '11217', email: 'a@b.cm' },
    })
    expect(shown.values).toMatchObject({ surname: 'Local', gender: '11217', email: 'a@b.cm' })
    const values = { ...shown.values, gender: emptyForm().gender, email: '' }
    const edited = mergeScreenForm(shown, { values, tab: 'PersonData', lastKnown: shown })
    expect(edited.values).toMatchObject({ gender: emptyForm().gender, email: '' })
    expect(syncStatusOf(edited, acceptsDrafts)).toMatchObject({
      kind: 'conflict',
      conflicts: [{ fields: ['surname'] }],
    })
  })

  it('asks only about the answer that differs from the server’s, not about one that differs between the tabs', () => {
    const status = syncStatusOf(after, acceptsDrafts)
    expect(status).toMatchObject({ kind: 'conflict', conflicts: [{ fields: ['travelDestination'] }] })
    expect(after.values.travelDestination).toBe('Gabon')
  })
})

describe('this device and another one, which write the same form', () => {
  it('D32 overwrite nothing silently in 500 interleavings', () => {
    expect(interleavings).toHaveLength(500)
    expect(interleavings.filter(({ conflicting }) => conflicting.length > 0).length).toBeGreaterThan(200)
    for (const { seed, mine, theirs, isSavedBefore, conflicting, picks } of interleavings) {
      const server = { version: 1, additionalData: '', values: base, at: 0 }
      const lastKnown = newDraft({ values: base, tab: 'PersonData', base: server })
      const typed = form(mine)
      const newer = { ...server, version: 2, values: form(theirs) }
      const stored = rebase(
        mergeScreenForm(lastKnown, { values: isSavedBefore ? typed : base, tab: 'PersonData', lastKnown }),
        newer,
      )
      const after = mergeScreenForm(stored, { values: typed, tab: 'PersonData', lastKnown })
      const status = syncStatusOf(after, acceptsDrafts)
      const choices = status.kind === 'conflict' ? status.conflicts : []
      expect(choices.flatMap(({ fields }) => fields).toSorted(), `seed ${seed}`).toEqual(
        conflicting.toSorted(),
      )
      expect(after.values, `seed ${seed}`).toMatchObject(mine)
      for (const name of conflicting) expect(after.theirs?.values[name], `seed ${seed}`).toBe(theirs[name])
      const merged = form({ ...theirs, ...mine })
      const picked = { ...merged, ...pickedAnswers({ mine, theirs, conflicting, picks }) }
      const settled = resolveConflicts(after, { picked, shown: after })
      expect(normaliseForm(settled.values), `seed ${seed}`).toEqual(normaliseForm(picked))
    }
  })
})

function pickedAnswers({
  mine,
  theirs,
  conflicting,
  picks,
}: Pick<Interleaving, 'mine' | 'theirs' | 'conflicting' | 'picks'>) {
  return Object.fromEntries(
    conflicting.map((name, at) => [name, (picks[at] === 'mine' ? mine : theirs)[name] ?? '']),
  )
}
