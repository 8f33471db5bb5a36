import { describe, expect, it } from 'vitest'
import { limitAfter, type RecentCode } from '#server/features/session/send-limit-rule.ts'

const [minute, hour, day] = [60, 3_600, 86_400]
const stranger = { isKnownBrowser: false, otherChannel: false, secondsBetweenCodes: minute }
const owner = { ...stranger, isKnownBrowser: true }

const sent: RecentCode = {
  ageSeconds: 2 * minute,
  isUsed: false,
  otherChannel: false,
  tries: 0,
  isOwn: true,
  isFromSameWideNetwork: true,
}
/** A code that another browser in another wide network requested. */
const foreign = { isOwn: false, isFromSameWideNetwork: false }
/** Codes of which the newest has this age, with a minute and a half between them. */
const codes = (count: number, ageSeconds: number, change: Partial<RecentCode> = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...sent, ageSeconds: ageSeconds + index * 90, ...change }))

describe('the wait before the next code to a contact (D20, D90)', () => {
  it.each([
    ['no code was sent', [], 0],
    ['the last code was sent now', [{ ...sent, ageSeconds: 0 }], minute],
    ['the last code is a second old', [{ ...sent, ageSeconds: 1 }], 59],
    ['a part of a second is left', [{ ...sent, ageSeconds: 59.9 }], 1],
    ['the last code is a minute old', [{ ...sent, ageSeconds: minute }], 0],
    [
      'the last of two codes is new',
      [
        { ...sent, ageSeconds: 900 },
        { ...sent, ageSeconds: 10 },
      ],
      50,
    ],
    ['the last code was used', [{ ...sent, ageSeconds: 1, isUsed: true }], 0],
    ['the last code went to the other contact', [{ ...sent, ageSeconds: 1, otherChannel: true }], 0],
    ['another browser requested the last code', [{ ...sent, ...foreign, ageSeconds: 1 }], 59],
    ['the browser had four codes in an hour', codes(4, 100), 0],
    ['the browser had five codes in an hour', codes(5, 100), hour - 460],
    ['the browser had five codes, used ones too', codes(5, 100, { isUsed: true }), hour - 460],
    ['the browser had six codes in an hour', codes(6, 100), hour - 460],
    ['the first of five codes is an hour old', codes(5, hour - 360), 0],
    ['the browser had nine codes in a day', codes(9, 2 * hour), 0],
    ['the browser had ten codes in a day', codes(10, 2 * hour), day - 2 * hour - 810],
    ['others had five codes in an hour', codes(5, 100, foreign), 0],
    ['others had ten codes in a day', codes(10, 2 * hour, foreign), 0],
    ['nine codes came from the network', codes(9, 2 * hour, { isOwn: false }), 0],
    ['ten codes came from the network', codes(10, 2 * hour, { isOwn: false }), day - 2 * hour - 810],
    ['others had nineteen codes in a day', codes(19, 2 * hour, foreign), 0],
    ['others had twenty codes in a day', codes(20, 2 * hour, foreign), day - 2 * hour - 1_710],
  ])('in an unknown browser, when %s', (_, recent, waitSeconds) => {
    expect(limitAfter(recent, stranger).waitSeconds).toBe(waitSeconds)
  })

  it.each([
    ['others requested the last code', [{ ...sent, ...foreign, ageSeconds: 1 }], 0],
    ['others had twenty codes in a day', codes(20, 2 * hour, foreign), 0],
    ['others had ten codes in this network', codes(10, 2 * hour, { isOwn: false }), 0],
    ['the browser requested the last code', [{ ...sent, ageSeconds: 1 }], 59],
    ['the browser had five codes in an hour', codes(5, 100), hour - 460],
    ['the browser had ten codes in a day', codes(10, 2 * hour), day - 2 * hour - 810],
  ])('in a browser that has proven the contact, when %s', (_, recent, waitSeconds) => {
    expect(limitAfter(recent, owner).waitSeconds).toBe(waitSeconds)
  })

  it('for the other contact is a minute only after a code to that contact', () => {
    const asking = { ...stranger, otherChannel: true }
    expect(limitAfter([{ ...sent, ageSeconds: 1 }], asking).waitSeconds).toBe(0)
    expect(limitAfter([{ ...sent, ageSeconds: 1, otherChannel: true }], asking).waitSeconds).toBe(59)
  })

  it('is shorter when `secondsBetweenCodes` is less than a minute, as for codes that are valid for less', () => {
    expect(
      limitAfter([{ ...sent, ageSeconds: 1 }], { ...stranger, secondsBetweenCodes: 5 }).waitSeconds,
    ).toBe(4)
  })
})

describe('the work of the puzzle before the next code: 0 is no puzzle, 4 is four times the usual one (D20, D90)', () => {
  it.each([
    ['no code was sent', [], 0, 0],
    ['one code is unused', codes(1, 100), 0, 0],
    ['two codes are unused', codes(2, 100), 1, 1],
    ['two codes are unused, and one of them is an hour old', [...codes(1, 100), ...codes(1, hour)], 0, 0],
    ['two codes were used', codes(2, 100, { isUsed: true }), 0, 0],
    ['a code has two wrong tries', codes(1, 100, { tries: 2 }), 0, 0],
    ['a code has three wrong tries', codes(1, 100, { tries: 3 }), 1, 1],
    ['a code had three wrong tries and was then used', codes(1, 100, { tries: 3, isUsed: true }), 0, 0],
    ['a code had three wrong tries an hour ago', codes(1, hour, { tries: 3 }), 0, 0],
    ['others had four codes in an hour', codes(4, 100, { ...foreign, isUsed: true }), 0, 0],
    ['others had five codes in an hour', codes(5, 100, { ...foreign, isUsed: true }), 4, 0],
    ['others had five codes in an hour, all unused', codes(5, 100, foreign), 4, 1],
    [
      'others had five codes, the first an hour ago',
      codes(5, hour - 360, { ...foreign, isUsed: true }),
      0,
      0,
    ],
    ['others had nine codes in a day', codes(9, 2 * hour, foreign), 0, 0],
    ['others had ten codes in a day', codes(10, 2 * hour, foreign), 4, 0],
  ])('when %s', (_, recent, inUnknownBrowser, inKnownBrowser) => {
    expect(limitAfter(recent, stranger).work).toBe(inUnknownBrowser)
    expect(limitAfter(recent, owner).work).toBe(inKnownBrowser)
  })
})
