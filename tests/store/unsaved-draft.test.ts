import { describe, expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { fieldGroups } from '#contract/field-groups.ts'
import { type Draft, newDraft, type ServerForm } from '#store/draft.ts'
import type { ChangeCause } from '#store/revision-rule.ts'
import {
  basedOnLateWrite,
  basisOf,
  basisOfMerged,
  mergeWithRow,
  restAfterWrite,
  unsavedAfter,
  type UnsavedDraft,
} from '#store/unsaved-draft.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'

const withSurname = (surname: string): FormValues => ({ ...firstPassport, surname })
const form = (version: number, surname: string): ServerForm => ({
  version,
  additionalData: '',
  values: withSurname(surname),
  at: version,
})
const draftOf = (surname: string, base: ServerForm | undefined, more: Partial<Draft> = {}): Draft =>
  newDraft({ values: withSurname(surname), tab: 'PersonData', base, ...more })
const groupOf = (field: string) => fieldGroups.filter(fields => fields.some(each => each === field))

const known = form(1, 'Known')
/** The row on which the unsaved draft is based. */
const from = draftOf('Known', known, { savedAt: 1 })

/** The unsaved draft of a page, and whether the applicant has typed its surname there. */
const memories = {
  'not typed': { draft: draftOf('Fetched', form(2, 'Fetched')), isTyped: false },
  typed: { draft: draftOf('Mine', known), isTyped: true },
  'typed over a newer one': { draft: draftOf('Mine', form(2, 'Second')), isTyped: true },
  'typed and sent': { draft: draftOf('Mine', form(2, 'Mine')), isTyped: true },
  'typed back': { draft: draftOf('Known', known), isTyped: true },
  'typed back over a sent one': { draft: draftOf('Known', form(2, 'Second')), isTyped: true },
}

/** The row since another tab has changed it. */
const rows = {
  unchanged: draftOf('Known', known),
  typed: draftOf('Typed', known),
  'with a newer form of the server': draftOf('Server', form(3, 'Server')),
  'with the form of this page': draftOf('Second', form(2, 'Second')),
  'with an open conflict': draftOf('Typed', known, { theirs: form(3, 'Server') }),
}

describe('the surname of a row that another tab has changed, merged with that of an unsaved draft (D30, D32)', () => {
  it.each<[keyof typeof memories, keyof typeof rows, older: string, later: string]>([
    ['not typed', 'unchanged', 'Known', 'Known'],
    ['not typed', 'typed', 'Typed', 'Typed'],
    ['not typed', 'with a newer form of the server', 'Server', 'Server'],
    ['not typed', 'with an open conflict', 'Typed or Server', 'Typed or Server'],
    ['typed', 'unchanged', 'Mine', 'Mine'],
    ['typed', 'typed', 'Typed', 'Mine'],
    ['typed', 'with a newer form of the server', 'Mine or Server', 'Mine or Server'],
    ['typed', 'with an open conflict', 'Typed or Server', 'Mine or Server'],
    ['typed over a newer one', 'unchanged', 'Mine', 'Mine'],
    ['typed over a newer one', 'typed', 'Typed', 'Mine'],
    ['typed over a newer one', 'with the form of this page', 'Mine', 'Mine'],
    ['typed over a newer one', 'with a newer form of the server', 'Mine or Server', 'Mine or Server'],
    ['typed and sent', 'unchanged', 'Mine', 'Mine'],
    ['typed and sent', 'typed', 'Typed', 'Mine'],
    ['typed and sent', 'with a newer form of the server', 'Server', 'Server'],
    ['typed and sent', 'with an open conflict', 'Typed or Server', 'Mine or Server'],
    ['typed back', 'unchanged', 'Known', 'Known'],
    ['typed back', 'typed', 'Typed', 'Known'],
    ['typed back', 'with a newer form of the server', 'Server', 'Server'],
    ['typed back', 'with an open conflict', 'Typed or Server', 'Known or Server'],
    ['typed back over a sent one', 'unchanged', 'Known', 'Known'],
    ['typed back over a sent one', 'typed', 'Typed', 'Known'],
    ['typed back over a sent one', 'with the form of this page', 'Known', 'Known'],
    ['typed back over a sent one', 'with a newer form of the server', 'Known or Server', 'Known or Server'],
  ])('that is %s, the row %s: is %s when the memory is older, else %s', (memory, row, older, later) => {
    const merged = [2, 4].map(savedAt => mergeSurnames(memories[memory], rows[row], savedAt))
    expect(merged).toEqual([older, later])
  })

  it('stays open to a choice that only the memory has, when the row has solved it without the applicant (D32)', () => {
    const theirs = form(2, 'Server')
    const unsaved = unsavedDraft({ ...memories.typed.draft, theirs }, { from: draftOf('Server', theirs) })
    expect(surnamesOf(merge(unsaved, draftOf('Server', theirs)))).toBe('Mine or Server')
  })

  it('needs no choice when another tab has only sent the answer that was typed over (D32)', () => {
    const unsaved = unsavedDraft(memories.typed.draft, { from: draftOf('Typed', known) })
    expect(surnamesOf(merge(unsaved, draftOf('Typed', form(2, 'Typed'))))).toBe('Mine')
  })

  it('is the one that was typed back to that of the server while another answer waits for a choice', () => {
    const typedBack = draftOf('Known', known, { theirs: form(2, 'Known') })
    const unsaved = unsavedDraft(typedBack, { from: draftOf('Typed', known) })
    expect(surnamesOf(merge(unsaved, draftOf('Typed', known)))).toBe('Known')
  })

  it.each([
    ['Mine', 'Known', 4, 'Mine'],
    ['Mine', 'Typed', 4, 'Typed'],
    ['Mine', 'Typed', 2, 'Mine'],
    ['Known', 'Typed', 2, 'Known'],
  ])(
    'that is %s, and the page has not read the row with %s, saved at %s: is %s',
    (mine, stored, savedAt, expected) => {
      const unsaved = unsavedDraft(draftOf(mine, known), { from: undefined, revision: 'unread' })
      expect(surnamesOf(merge(unsaved, draftOf(stored, known, { savedAt })))).toBe(expected)
    },
  )

  it('is the typed one when the row has an earlier one of this page, whose write failed and was done late', () => {
    const late = { lateWrites: [{ revision: 9, values: withSurname('Late') }], savedAt: 2 }
    const row = draftOf('Late', known, { savedAt: 3 })
    expect(merge(unsavedDraft(memories.typed.draft, late), row)?.values.surname).toBe('Mine')
  })
})

describe('the groups of an unsaved draft whose answers are typed', () => {
  const surname = groupOf('surname')
  const [before, after] = [draftOf('Known', known), draftOf('Mine', known)]

  it.each<[string, ChangeCause['kind'], Draft | undefined, Draft, typedBefore: boolean, typed: boolean]>([
    ['gain an answer that the applicant types', 'typed', before, after, false, true],
    ['gain an answer that the applicant restores (D63)', 'restored', before, after, false, true],
    ['keep an answer that the sync has sent', 'other', after, draftOf('Mine', form(2, 'Mine')), true, true],
    [
      'lose an answer that the sync replaces',
      'other',
      after,
      draftOf('Server', form(2, 'Server')),
      true,
      false,
    ],
    [
      'gain no answer that a typed one brings from the server when it ends a conflict',
      'typed',
      before,
      draftOf('Server', form(2, 'Server')),
      false,
      false,
    ],
    ['gain no answer of the server', 'other', before, draftOf('Server', form(2, 'Server')), false, false],
    [
      'have the answers of a first draft that the server does not have',
      'other',
      undefined,
      after,
      false,
      true,
    ],
    ['have no answer of a first draft that the server has', 'other', undefined, before, false, false],
  ])('%s', (_, kind, earlier, later, isTypedBefore, isTyped) => {
    const cause: ChangeCause = kind === 'typed' ? { kind, lastKnown: before } : { kind }
    const basis = { ...basisOf(undefined), typed: isTypedBefore ? surname : [] }
    const unsaved = unsavedAfter(basis, { before: earlier, after: later, cause }, [])
    expect(unsaved?.typed).toEqual(isTyped ? surname : [])
  })

  it('lose the answers that a new row has', () => {
    expect(typedSince(after, after)).toEqual([])
    expect(typedSince(before, after)).toEqual(surname)
  })

  it('keep an answer that was typed back over a sent one, until the row has that form of the server', () => {
    const typedBack = draftOf('Known', form(2, 'Second'))
    expect(typedSince(before, typedBack)).toEqual(surname)
    expect(typedSince(typedBack, typedBack)).toEqual([])
  })
})

describe('an unsaved draft after a write of the page', () => {
  const written = unsavedDraft(draftOf('Mine', known))
  const saved = draftOf('Mine', known)

  it('is based on the saved draft, and has only the answers typed since', () => {
    const typedSinceThen = unsavedDraft(draftOf('Again', known))
    const done = { revision: 1, before: from, saved }
    expect(restAfterWrite(typedSinceThen, written, done)).toMatchObject({
      from: saved,
      typed: groupOf('surname'),
    })
    expect(restAfterWrite({ ...written }, written, done)).toMatchObject({ from: saved, typed: [] })
  })

  it('is based on the row of a late write, which has its answers', () => {
    const unsaved = { ...written, lateWrites: [{ revision: 9, values: saved.values }] }
    const row = { revision: 9, draft: saved }
    expect(basedOnLateWrite(unsaved, row)).toMatchObject({ revision: 9, from: saved, typed: [] })
  })
})

/** The typed groups of the draft once it is based on this row. */
function typedSince(row: Draft, draft: Draft) {
  const memory = { unsaved: unsavedDraft(draft), dropped: [], deletion: undefined }
  return basisOfMerged({ row: { draft: row, revision: 2 }, memory, draft }).typed
}

function unsavedDraft(
  draft: Draft,
  {
    savedAt = 3,
    isTyped = true,
    ...more
  }: Partial<UnsavedDraft> & { savedAt?: number; isTyped?: boolean } = {},
): UnsavedDraft {
  const typed = isTyped ? groupOf('surname') : []
  return { draft: { ...draft, savedAt }, revision: 1, from, typed, ...more }
}

function merge(unsaved: UnsavedDraft, row: Draft) {
  return mergeWithRow(unsaved, { draft: row, revision: 2 }, mergeScreenForm)
}

function mergeSurnames(memory: { draft: Draft; isTyped: boolean }, row: Draft, savedAt: number) {
  return surnamesOf(
    merge(unsavedDraft(memory.draft, { isTyped: memory.isTyped, savedAt }), { ...row, savedAt: 3 }),
  )
}

/** The surname of the draft; `A or B` while the applicant must choose. */
function surnamesOf(draft: Draft | undefined) {
  const { values, theirs } = draft ?? {}
  return [values?.surname, ...(theirs ? [theirs.values.surname] : [])].join(' or ')
}
