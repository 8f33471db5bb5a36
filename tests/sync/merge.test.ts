import { describe, expect, it } from 'vitest'
import { emptyForm, type FormValues } from '#contract/application.ts'
import { fieldUnits } from '#contract/field-units.ts'
import { newDraft } from '#store/draft.ts'
import { keepTyped, rebase } from '#sync/deliver.ts'
import { mergeForms } from '#sync/merge.ts'
import { firstPassport } from '#support/applicants.ts'
import { createChance } from './simulation.ts'

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
    for (let seed = 1; seed <= 500; seed += 1) {
      const chance = createChance(seed)
      const names = ['surname', 'givenName', 'motherSurname'] as const
      const write = (by: string) =>
        Object.fromEntries(names.filter(() => chance.below(2) === 0).map(name => [name, `${by}${seed}`]))
      const server = { version: 1, additionalData: '', values: base, at: 0 }
      const known = newDraft({ values: base, tab: 'PersonData', base: server })
      const typed = form(write('typed'))
      const theirs = { ...server, version: 2, values: form(write('theirs')) }
      const stored = rebase(
        keepTyped(known, { values: chance.below(2) ? base : typed, tab: 'PersonData', known }),
        theirs,
      )
      const after = keepTyped(stored, { values: typed, tab: 'PersonData', known })
      for (const name of names) {
        if (typed[name] !== base[name]) expect(after.values[name], `seed ${seed}`).toBe(typed[name])
        if (theirs.values[name] !== base[name])
          expect([after.values[name], after.theirs?.values[name]], `seed ${seed}`).toContain(
            theirs.values[name],
          )
      }
    }
  })
})
