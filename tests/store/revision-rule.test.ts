import { describe, expect, it } from 'vitest'
import { emptyForm, type FormValues } from '#contract/application.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { answersToKeep, type DraftChange, typingRevisionMs } from '#store/revision-rule.ts'

const empty = emptyForm()
const ngo = { ...empty, surname: 'Ngo', email: 'a@b.cm' }
const mbock = { ...ngo, surname: 'Mbock' }
const longer = { ...ngo, givenName: 'Ada' }
const now = 10 * typingRevisionMs

type Case = Partial<Omit<DraftChange, 'before' | 'after'>> & {
  title: string
  before?: Draft | undefined
  after?: Draft | undefined
  kept: FormValues[]
}

const draft = (values: FormValues, rest: Partial<Draft> = {}) =>
  newDraft({ values, tab: 'PersonData', ...rest })
const server = (values: FormValues) => ({ version: 2, additionalData: '', values, at: 1 })
const other = { kind: 'other' } as const
const typedOn = (lastKnown: Draft) => ({ kind: 'typed', lastKnown }) as const

const cases: Case[] = [
  { title: 'a merge replaces an answer', before: draft(ngo), after: draft(mbock), kept: [ngo] },
  { title: 'a merge removes an answer', before: draft(longer), after: draft(ngo), kept: [longer] },
  {
    title: 'a merge only clears a checkbox',
    before: draft({ ...ngo, dateOfBirthUnknown: true }),
    after: draft(ngo),
    kept: [{ ...ngo, dateOfBirthUnknown: true }],
  },
  { title: 'a merge only adds an answer', before: draft(ngo), after: draft(longer), kept: [] },
  {
    title: 'a merge replaces only defaults of a new form',
    before: draft(empty),
    after: draft({ ...ngo, gender: '11217' }),
    kept: [],
  },
  { title: 'the sync changes no answer', before: draft(ngo), after: draft(ngo, { attempts: 3 }), kept: [] },
  { title: 'the draft is discarded', before: draft(ngo), after: undefined, kept: [ngo] },
  { title: 'an unanswered draft is discarded', before: draft(empty), after: undefined, kept: [] },
  {
    title: 'the applicant deletes the draft',
    before: draft(ngo),
    after: undefined,
    cause: { kind: 'deleted' },
    kept: [],
  },
  {
    title: 'the newest revision has the same answers',
    before: draft(ngo),
    after: draft(mbock),
    newest: { ...ngo },
    kept: [],
  },
  {
    title: 'a conflict ends with the answers of the other device',
    before: draft(ngo, { theirs: server(mbock) }),
    after: draft(mbock, { base: server(mbock) }),
    kept: [ngo],
  },
  {
    title: 'a conflict ends with the answers of this device',
    before: draft(ngo, { theirs: server(mbock) }),
    after: draft(ngo, { base: server(mbock) }),
    kept: [mbock],
  },
  {
    title: 'a draft with a conflict is discarded',
    before: draft(ngo, { theirs: server(mbock) }),
    after: undefined,
    kept: [ngo, mbock],
  },
  {
    title: 'a draft is discarded in which only a default was emptied',
    before: draft({ ...empty, gender: '' }),
    after: undefined,
    kept: [],
  },
  {
    title: 'the first typing leaves the server’s form as it is',
    before: undefined,
    after: draft({ ...ngo }),
    cause: typedOn(draft(ngo, { base: server(ngo) })),
    kept: [],
  },
  {
    title: 'the first typing is in a form that no server has',
    before: undefined,
    after: draft(ngo),
    cause: typedOn(draft(empty)),
    kept: [],
  },
  {
    title: 'typing at the moment of the last revision',
    before: draft(ngo),
    after: draft(mbock),
    cause: typedOn(draft(ngo)),
    lastAt: now,
    kept: [],
  },
  {
    title: 'typing saves a merge that has replaced an answer that the form still shows',
    before: draft(ngo),
    after: draft(mbock),
    cause: { ...typedOn(draft(ngo)), formValues: ngo },
    lastAt: now,
    kept: [ngo],
  },
  { title: 'a draft appears', before: undefined, after: draft(ngo), kept: [] },
  {
    title: 'the first typing on this device replaces the server’s form',
    before: undefined,
    after: draft(mbock),
    cause: typedOn(draft(ngo, { base: server(ngo) })),
    kept: [ngo],
  },
  {
    title: 'the first typing is in a new form',
    before: undefined,
    after: draft(ngo),
    cause: typedOn(draft(empty, { base: server(empty) })),
    kept: [],
  },
  {
    title: 'typing within five minutes after the last revision',
    before: draft(ngo),
    after: draft(mbock),
    cause: typedOn(draft(ngo)),
    lastAt: now - typingRevisionMs + 1,
    kept: [],
  },
  {
    title: 'typing five minutes after the last revision',
    before: draft(ngo),
    after: draft(mbock),
    cause: typedOn(draft(ngo)),
    lastAt: now - typingRevisionMs,
    kept: [ngo],
  },
  {
    title: 'typing after the clock was set back',
    before: draft(ngo),
    after: draft(mbock),
    cause: typedOn(draft(ngo)),
    lastAt: now + 1,
    kept: [ngo],
  },
  {
    title: 'nothing was typed, however long ago the last revision is',
    before: draft(ngo),
    after: draft(ngo),
    cause: typedOn(draft(ngo)),
    lastAt: 0,
    kept: [],
  },
  {
    title: 'the applicant leaves a tab',
    before: draft(ngo),
    after: draft(ngo, { tab: 'NicData' }),
    cause: typedOn(draft(ngo)),
    kept: [ngo],
  },
  {
    title: 'typing replaces an answer that the form has not shown (D75)',
    before: draft(mbock),
    after: draft({ ...ngo, surname: 'Njoya' }),
    cause: typedOn(draft(ngo)),
    kept: [mbock],
  },
  {
    title: 'earlier answers are restored',
    before: draft(ngo),
    after: draft(longer),
    cause: { kind: 'restored' },
    kept: [ngo],
  },
]

describe('answersToKeep (D63)', () => {
  it('has a pause of five minutes between two revisions of typing', () => {
    expect(typingRevisionMs).toBe(300_000)
  })

  it.each(cases)('keeps what the case lists when $title', ({ kept, before, after, ...rest }) => {
    const given = { cause: other, newest: undefined, lastAt: now, now, ...rest }
    expect(answersToKeep({ ...given, before, after })).toEqual(kept)
  })
})
