import { describe, expect, it } from 'vitest'
import type { FieldName } from '#contract/application.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { answerText } from '#summary/answer-text.ts'
import { summaryNames } from '#summary/summary-names.ts'

const names = summaryNames(textsOf('fr'), {
  language: 'fr',
  countries: [{ id: '10998', name: 'Cameroun' }],
  occupations: [{ id: '00', descrEn: 'None', descrFr: 'Sans profession' }],
})
const home = { regionName: 'Centre', departmentName: 'Mfoundi', localityName: 'Yaoundé 1er' }

/** The summary of this application omits all answers of the cases below (CNF04, CNF05). */
const form = {
  ...minorWithRepresentative,
  occupation: '00',
  reprSurname: '',
  reprOccupation: '00',
}

describe('answerText', () => {
  it.each<[FieldName[], string]>([
    [['reprGender'], 'Masculin'],
    [
      ['reprPlaceOfBirth', 'reprRegionCode', 'reprDepartmentCode', 'reprLocalityId', 'reprCity'],
      'Cameroun – Centre – Mfoundi – Yaoundé 1er',
    ],
    [['occupation', 'otherOccupation'], 'Sans profession'],
    [['reprOccupation', 'reprOtherOccupation'], 'Sans profession'],
  ])('has words and no codes for %s, which a summary omits (CNF04, D32, D63)', (fields, text) => {
    expect(answerText(fields, form, { names, home })).toBe(text)
  })

  it('is empty for a phone number that was not given, although the form has a dial code (D32)', () => {
    const fields: FieldName[] = ['dialCode', 'phoneNumber']
    expect(answerText(fields, { ...form, dialCode: '237', phoneNumber: '' }, { names, home })).toBe('')
    expect(
      answerText(fields, { ...form, dialCode: '237', phoneNumber: '671234567' }, { names, home }),
    ).toContain('+237')
  })
})
