import { describe, expect, it } from 'vitest'
import { genders, homeCountry, nicChoices, reasons } from '#contract/codes.ts'
import { type Paper, papers, papersOfForm, papersToBring, type PapersCase } from '#contract/papers.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'

const adult: PapersCase = {
  reason: '11211',
  gender: '11216',
  yearOfBirth: 1990,
  birthday: { month: 3, day: 27 },
  day: '2026-12-01',
  officeCountry: homeCountry,
  selectNic: '2',
}

describe('papersToBring (F13)', () => {
  it('returns four papers for the first passport of a man in Cameroon', () => {
    expect(papersToBring(adult)).toEqual(['receipt', 'birthCertificate', 'identityCard', 'occupationProof'])
  })

  it.each([
    ['a grown woman', { gender: '11217' }, ['marriageCertificate'], ['parentalConsent', 'emancipationProof']],
    [
      'a child of 14',
      { yearOfBirth: 2012 },
      ['parentalConsent', 'parentIdentityCard'],
      ['identityCard', 'emancipationProof'],
    ],
    [
      'a minor of 20',
      { yearOfBirth: 2006, gender: '11217' },
      ['identityCard', 'parentalConsent', 'emancipationProof'],
      ['marriageCertificate'],
    ],
    ['an applicant who becomes 15 on that day', born(2011, 12, 1), ['identityCard'], []],
    ['an applicant who becomes 15 on the next day', born(2011, 12, 2), [], ['identityCard']],
    ['an applicant who becomes 21 on that day', born(2005, 12, 1), [], ['parentalConsent']],
    ['an applicant who becomes 21 on the next day', born(2005, 12, 2), ['parentalConsent'], []],
    ['an applicant without an identity card', { selectNic: '1' }, ['identityCardMissing'], ['identityCard']],
    [
      'a child without an identity card',
      { yearOfBirth: 2016, selectNic: '1' },
      [],
      ['identityCard', 'identityCardMissing'],
    ],
    ['an applicant abroad', { officeCountry: '11037' }, ['consularCard', 'residencePermit'], []],
    ['an expired passport', { reason: '11212' }, ['previousPassport'], ['civilStatusProof']],
    ['a lost passport', { reason: '11214' }, ['lossCertificate'], ['previousPassport']],
    ['a stolen passport', { reason: '11280' }, ['theftReport'], ['previousPassport']],
    ['a damaged passport', { reason: '11281' }, ['previousPassport', 'damageDeclaration'], []],
    ['a change of parentage', { reason: '11282' }, ['previousPassport', 'civilStatusProof'], []],
    ['a changed name', { reason: '11283' }, ['previousPassport', 'civilStatusProof'], []],
    ['a correction', { reason: '11284' }, ['previousPassport', 'civilStatusProof'], []],
    ['full visa pages', { reason: '11285' }, ['previousPassport'], ['damageDeclaration']],
    ['an additional passport', { reason: '11286' }, ['previousPassport'], ['lossCertificate']],
  ] as const satisfies [string, Partial<PapersCase>, Paper[], Paper[]][])(
    'returns the papers for %s',
    (_, difference, expected, unexpected) => {
      const listed = papersToBring({ ...adult, ...difference })
      expect(listed).toEqual(expect.arrayContaining([...expected]))
      for (const paper of unexpected) expect(listed).not.toContain(paper)
    },
  )

  it('returns consistent papers: in a fixed order, with at most one paper about the applicant’s card, and no consent beside a marriage certificate', () => {
    const cases = reasons.flatMap(reason =>
      genders.flatMap(gender =>
        nicChoices.flatMap(selectNic =>
          [homeCountry, '11037'].flatMap(officeCountry =>
            [1930, 2004, 2006, 2011, 2012, 2026].map(yearOfBirth => ({
              ...adult,
              reason,
              gender,
              selectNic,
              officeCountry,
              yearOfBirth,
            })),
          ),
        ),
      ),
    )
    for (const each of cases) {
      const listed = papersToBring(each)
      expect(listed).toEqual(papers.filter(paper => listed.includes(paper)))
      expect(listed.slice(0, 2)).toEqual(['receipt', 'birthCertificate'])
      const has = (paper: Paper) => listed.includes(paper)
      expect(has('identityCard') && has('identityCardMissing')).toBe(false)
      expect(has('parentalConsent') && has('marriageCertificate')).toBe(false)
      expect(has('parentalConsent')).toBe(has('parentIdentityCard'))
      expect(has('consularCard')).toBe(each.officeCountry !== homeCountry)
      expect(has('previousPassport')).toBe(!['11211', '11214', '11280'].includes(each.reason))
    }
  })

  it('reads the case from a form, also when only the year of birth is known', () => {
    const at = { day: '2026-12-01', officeCountry: homeCountry }
    expect(papersOfForm(firstPassport, at)).toContain('marriageCertificate')
    expect(papersOfForm(minorWithRepresentative, at)).toContain('parentalConsent')
    expect(papersOfForm(renewalBornAbroad, at)).toContain('identityCardMissing')
    const yearOnly = { ...firstPassport, yearOfBirth: '2005', dateOfBirthUnknown: true }
    expect(papersOfForm(yearOnly, at)).not.toContain('parentalConsent')
  })
})

function born(yearOfBirth: number, month: number, day: number): Partial<PapersCase> {
  return { yearOfBirth, birthday: { month, day } }
}
