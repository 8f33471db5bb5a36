import { describe, expect, it } from 'vitest'
import { emptyForm, type FormValues, tidyForm } from '#contract/application.ts'
import { fieldUnits } from '#contract/field-units.ts'
import { newDraft } from '#store/draft.ts'
import { keepTyped, rebase, settleChoices } from '#sync/deliver.ts'
import { mergeForms } from '#sync/merge.ts'
import { standingOf } from '#sync/standings.ts'
import { firstPassport } from '#support/applicants.ts'
import { type Interleaving, interleavings } from './interleavings.ts'

const base = firstPassport
const form = (changes: Partial<FormValues>): FormValues => ({ ...base, ...changes })

describe('two changed forms', () => {
  it.each([
    ['neither changed', {}, {}, {}, []],
    ['only mine', { surname: 'A' }, {}, { surname: 'A' }, []],
    ['only theirs', {}, { surname: 'B' }, { surname: 'B' }, []],
    ['different answers', { surname: 'A' }, { givenName: 'B' }, { surname: 'A', givenName: 'B' }, []],
    ['the same answer alike', { surname: 'A' }, { surname: 'A' }, { surname: 'A' }, []],
    ['alike but for spaces', { surname: 'A ' }, { surname: 'A' }, { surname: 'A ' }, []],
    ['the same answer differently', { surname: 'A' }, { surname: 'B' }, { surname: 'A' }, ['surname']],
    [
      'two parts of a date',
      { dayOfBirth: '01' },
      { yearOfBirth: '1991' },
      { dayOfBirth: '01' },
      ['dayOfBirth'],
    ],
    [
      'two parts of a place',
      { localityId: '1' },
      { regionCode: 'WEST' },
      { localityId: '1' },
      ['placeOfBirth'],
    ],
  ])('D32 %s', (_, mine, theirs, values, chosen) => {
    const merged = mergeForms({ base, mine: form(mine), theirs: form(theirs) })
    expect(merged.values).toEqual(form(values))
    expect(merged.choices.map(({ fields }) => fields.includes(chosen[0] as never))).toEqual(
      chosen.map(() => true),
    )
  })

  it('without a common past are compared with a form as it starts', () => {
    const mine = { ...emptyForm(), surname: 'A' }
    const theirs = { ...emptyForm(), givenName: 'B' }
    const merged = mergeForms({ base: undefined, mine, theirs })
    expect([merged.values.surname, merged.values.givenName, merged.choices]).toEqual(['A', 'B', []])
  })

  it('hold every field in exactly one unit', () => {
    expect(fieldUnits.flat().toSorted()).toEqual(Object.keys(emptyForm()).toSorted())
  })
})

describe('two hands on one form', () => {
  it('D32 overwrite nothing unseen in 500 interleavings', () => {
    expect(interleavings).toHaveLength(500)
    expect(interleavings.filter(({ disputed }) => disputed.length > 0).length).toBeGreaterThan(200)
    for (const { seed, mine, theirs, isKeptBefore, disputed, picks } of interleavings) {
      const server = { version: 1, additionalData: '', values: base, at: 0 }
      const known = newDraft({ values: base, tab: 'PersonData', base: server })
      const typed = form(mine)
      const newer = { ...server, version: 2, values: form(theirs) }
      const stored = rebase(
        keepTyped(known, { values: isKeptBefore ? typed : base, tab: 'PersonData', known }),
        newer,
      )
      const after = keepTyped(stored, { values: typed, tab: 'PersonData', known })
      const standing = standingOf(after, true)
      const choices = standing.kind === 'choice' ? standing.choices : []
      expect(choices.flatMap(({ fields }) => fields).toSorted(), `seed ${seed}`).toEqual(disputed.toSorted())
      expect(after.values, `seed ${seed}`).toMatchObject(mine)
      for (const name of disputed) expect(after.theirs?.values[name], `seed ${seed}`).toBe(theirs[name])
      const merged = form({ ...theirs, ...mine })
      const picked = { ...merged, ...pickedAnswers({ mine, theirs, disputed, picks }) }
      const settled = settleChoices(after, picked)
      expect(tidyForm(settled.values), `seed ${seed}`).toEqual(tidyForm(picked))
    }
  })
})

function pickedAnswers({
  mine,
  theirs,
  disputed,
  picks,
}: Pick<Interleaving, 'mine' | 'theirs' | 'disputed' | 'picks'>) {
  return Object.fromEntries(
    disputed.map((name, at) => [name, (picks[at] === 'mine' ? mine : theirs)[name] ?? '']),
  )
}
