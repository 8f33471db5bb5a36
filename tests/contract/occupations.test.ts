import { describe, expect, it } from 'vitest'
import { sortOccupations } from '#contract/dictionary.ts'

const occupations = [
  { id: '33', descrEn: 'Other', descrFr: 'Autre' },
  { id: '02', descrEn: 'Student', descrFr: 'Étudiant(e)' },
  { id: '05', descrEn: 'Retired', descrFr: 'Retraité(e)' },
  { id: '01', descrEn: 'Pupil', descrFr: 'Élève' },
]

describe('sortOccupations', () => {
  it.each([
    ['fr', ['00', '01', '02', '05', '33']],
    ['en', ['00', '01', '05', '02', '33']],
  ] as const)(
    'sorts by name in %s, with the blank entry first and "other" last (DIC04 DIC05 S77)',
    (language, ids) => {
      expect(sortOccupations(occupations, language).map(({ id }) => id)).toEqual(ids)
    },
  )

  it('returns one blank entry when the server sends its own (DIC04)', () => {
    const sent = [{ id: '00', descrEn: '', descrFr: '' }, ...occupations]
    expect(sortOccupations(sent, 'fr').filter(({ id }) => id === '00')).toHaveLength(1)
  })
})
