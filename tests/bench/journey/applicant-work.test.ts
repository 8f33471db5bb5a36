import { describe, expect, it } from 'vitest'
import {
  type Act,
  type ScreenVisit,
  totalWork,
  workByQuestion,
  workByScreen,
  workOf,
} from './applicant-work.ts'

describe('workOf', () => {
  it.each<[string, Act, object]>([
    ['a click', { kind: 'tap', target: 'button.continue' }, { taps: 1, keys: 0 }],
    ['a choice in a native select', { kind: 'choose', target: 'regionCode' }, { taps: 2, keys: 0 }],
    ['a text after a tap', typed('Yaoundé', { focus: 'tap' }), { taps: 1, keys: 7, nextKeys: 0 }],
    ['a text after the Next key', typed('Yaoundé', { focus: 'next' }), { taps: 0, keys: 8, nextKeys: 1 }],
    ['a text in a field with the focus', typed('123456', { focus: 'page' }), { taps: 0, keys: 6 }],
    ['a text that replaces another', typed('Lyon', { deleted: 5 }), { taps: 1, keys: 9 }],
    ['a letter of two code units', typed('𐔀', {}), { taps: 1, keys: 1 }],
  ])('counts %s', (_, act, work) => {
    expect(workOf([act])).toMatchObject(work)
  })

  it('counts nothing when the applicant does nothing', () => {
    expect(workOf([])).toEqual({ taps: 0, keys: 0, nextKeys: 0 })
  })
})

describe('the work on several visits', () => {
  const tap: Act = { kind: 'tap', target: 'button.continue' }
  const visits: ScreenVisit[] = [
    { screen: 'mobile', acts: [typed('671234567', {}), tap], usedPx: 480, documentPx: 640 },
    { screen: 'payment', acts: [tap], usedPx: 1_280, documentPx: 1_920 },
    { screen: 'mobile', acts: [tap], usedPx: 160, documentPx: 640 },
  ]

  it('workByScreen adds a second visit to the row of its screen', () => {
    expect(workByScreen(visits)).toEqual([
      { screen: 'mobile', taps: 3, keys: 9, nextKeys: 0, usedPhoneHeights: 1, documentPhoneHeights: 2 },
      { screen: 'payment', taps: 1, keys: 0, nextKeys: 0, usedPhoneHeights: 2, documentPhoneHeights: 3 },
    ])
  })

  it('totalWork counts each screen once and sums the rest', () => {
    expect(totalWork(visits)).toEqual({
      screens: 2,
      taps: 4,
      keys: 9,
      nextKeys: 0,
      usedPhoneHeights: 3,
      documentPhoneHeights: 5,
    })
  })
})

describe('workByQuestion', () => {
  it('joins the parts of a date and the lists of a place', () => {
    const acts: Act[] = [
      { ...typed('10', {}), target: 'nicDateOfIssuance-day' },
      { kind: 'choose', target: 'nicDateOfIssuance-month' },
      { kind: 'choose', target: 'regionCode' },
      { kind: 'choose', target: 'departmentCode' },
      { kind: 'tap', target: 'button.submit' },
    ]
    expect(workByQuestion([{ screen: 'NicData', acts, usedPx: 0, documentPx: 0 }])).toMatchObject([
      { question: 'NicData: nicDateOfIssuance', taps: 3, keys: 2 },
      { question: 'NicData: placeOfBirth', taps: 4, keys: 0 },
      { question: 'NicData: button.submit', taps: 1, keys: 0 },
    ])
  })

  it('keeps the names of controls outside the form', () => {
    const acts: Act[] = [{ kind: 'choose', target: 'city' }]
    const visit = { screen: 'appointment', acts, usedPx: 0, documentPx: 0 }
    expect(workByQuestion([visit])).toMatchObject([{ question: 'appointment: city' }])
  })
})

/** By default the field is empty, and the applicant taps it before typing. */
function typed(text: string, { focus = 'tap', deleted = 0 }: Partial<Extract<Act, { kind: 'type' }>>): Act {
  return { kind: 'type', target: 'surname', typed: text, deleted, focus }
}
