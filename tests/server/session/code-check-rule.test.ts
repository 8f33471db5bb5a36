import { describe, expect, it } from 'vitest'
import {
  endsCodes,
  judgeTry,
  noValidCode,
  repeatOf,
  repeatSeconds,
  triesPerCode,
  waitSeconds,
} from '#server/features/session/code-check-rule.ts'

const valid = { id: 7, isUnexpired: true, isRight: false }
const right = { ...valid, isRight: true }
const older = { ...valid, id: 6 }
const expired = { ...valid, id: 6, isUnexpired: false }

const wrong = (triesLeft: number) => ({ kind: 'refused', problem: 'code-wrong', triesLeft })

describe('a typed code (D21)', () => {
  it.each([
    ['the only code', [right], 1, { kind: 'right', codeId: 7 }],
    [
      'the code before, because its message came late',
      [valid, { ...older, isRight: true }],
      1,
      { kind: 'right', codeId: 6 },
    ],
    ['the only code, at the last try', [right], 5, { kind: 'right', codeId: 7 }],
    ['a wrong code, at the first try', [valid, older], 1, wrong(4)],
    ['a wrong code, at the last try', [valid], 5, wrong(0)],
    ['a wrong code, and the code before has expired', [valid, expired], 2, wrong(3)],
    [
      'the code before, which has expired',
      [valid, { ...expired, isRight: true }],
      2,
      { kind: 'refused', problem: 'code-expired', triesLeft: 3 },
    ],
    ['a code when all have expired', [{ ...expired, isRight: true }], 1, undefined],
    ['a code when none is left', [], 1, undefined],
  ])('%s', (_, codes, tries, expected) => {
    expect(judgeTry(codes, tries)).toEqual(expected)
  })

  it.each([
    ['a fourth wrong try', [valid], 4, false],
    ['a fifth wrong try', [valid], 5, true],
    ['a sixth wrong try', [valid], 6, true],
    ['the right code at the fifth try', [right], 5, false],
  ])('ends the codes of the browser, or not: %s', (_, codes, tries, ends) => {
    const checked = judgeTry(codes, tries)
    expect(checked && endsCodes(checked, tries)).toBe(ends)
  })

  it('may be wrong five times; the first and the last wrong code cost no wait, the others a longer one each time (D125)', () => {
    expect(triesPerCode).toBe(5)
    expect(waitSeconds).toEqual([0, 2, 5, 10, 0])
  })

  it('repeats a lost answer for a minute', () => {
    expect(repeatSeconds).toBe(60)
  })

  it('of a browser without a valid code has no try left', () => {
    expect(noValidCode).toEqual({ kind: 'refused', problem: 'code-expired', triesLeft: 0 })
  })
})

const used = {
  id: 7,
  joined_session: null,
  opened_token: null,
  dormant_applicant: null,
  kind: 'phone',
  sent_to: null,
} as const

describe('a code that was used a moment ago (D21, D122)', () => {
  it.each([
    ['has added a contact', { joined_session: 's' }, { kind: 'joined', sessionId: 's' }],
    ['has opened a session', { opened_token: 't' }, { kind: 'used', openedTokenHash: 't' }],
    [
      'has opened the question of a dormant account, which was answered',
      { dormant_applicant: 'a', opened_token: 't' },
      { kind: 'used', openedTokenHash: 't' },
    ],
    [
      'has opened the question of a dormant account',
      { dormant_applicant: 'a' },
      { kind: 'dormant', codeId: 7, proven: 'phone' },
    ],
    [
      'has opened the question of a dormant account, and was sent to its other contact',
      { dormant_applicant: 'a', sent_to: 'x' },
      { kind: 'dormant', codeId: 7, proven: 'email' },
    ],
    ['has opened nothing', {}, noValidCode],
  ] as const)('%s', (_, opened, expected) => {
    expect(repeatOf({ ...used, ...opened })).toEqual(expected)
  })
})
