import { describe, expect, it } from 'vitest'
import {
  answersUndone,
  hasContactsFromBefore,
  judgeJoin,
  judgeRemoval,
  judgeRestore,
  judgeUndo,
  listNotices,
  normaliseUndoCode,
} from '#server/features/account/contact-rule.ts'
import { matchesApplication } from '#server/features/account/match-application.ts'

describe('a contact that an applicant adds (D70)', () => {
  const joining = {
    applicantId: 'me',
    isPresent: true,
    owner: undefined,
    ownerHasApplications: false,
    before: [{ kind: 'phone' }],
    kind: 'email',
  } as const

  it.each([
    ['that no account has is added', {}, 'add'],
    ['that an account without applications has is moved', { owner: 'other' }, 'move'],
    [
      'that an account with applications has is refused',
      { owner: 'other', ownerHasApplications: true },
      'contact-refused',
    ],
    ['that the applicant has already stays', { owner: 'me', ownerHasApplications: true }, 'known'],
    [
      'that the applicant has already is not refused as a second one of its kind',
      { owner: 'me', before: [{ kind: 'email' }] },
      'known',
    ],
    [
      'of a kind that the account has is refused',
      { before: [{ kind: 'phone' }, { kind: 'email' }] },
      'contact-refused',
    ],
    [
      'of a kind that the account has is refused also when another account has it',
      { before: [{ kind: 'email' }], owner: 'other' },
      'contact-refused',
    ],
    ['is refused when the account was erased before the lock', { isPresent: false }, 'not-signed-in'],
    [
      'is refused when the account was erased, although the contact was in it',
      { isPresent: false, owner: 'me' },
      'not-signed-in',
    ],
  ] as const)('%s', (_, change, verdict) => {
    expect(judgeJoin({ ...joining, ...change })).toBe(verdict)
  })
})

describe('a contact that an applicant removes (D70)', () => {
  const removal = {
    isPresent: true,
    before: [{ kind: 'phone' }, { kind: 'email' }],
    kind: 'email',
    hasProof: true,
  } as const

  it.each([
    ['is removed after a fresh code', {}, 'remove'],
    ['stays without a fresh code', { hasProof: false }, 'proof-needed'],
    ['stays when it is the last one', { before: [{ kind: 'email' }] }, 'wrong-state'],
    ['is gone already', { before: [{ kind: 'phone' }], hasProof: false }, 'gone'],
    ['is gone with the account', { isPresent: false }, 'not-signed-in'],
  ] as const)('%s', (_, change, verdict) => {
    expect(judgeRemoval({ ...removal, ...change })).toBe(verdict)
  })
})

describe('an undo code (D70)', () => {
  it.each([
    ['undoes its change', [{ id: 7 }], 'undo'],
    ['undoes its change and later ones', [{ id: 9 }, { id: 7 }], 'undo'],
    ['changes nothing a second time', [], 'done'],
    ['does not undo what was changed after the undo', [{ id: 9 }], 'code-expired'],
  ])('%s', (_, pending, verdict) => {
    expect(judgeUndo(pending, 7)).toBe(verdict)
  })

  it.each(['ABCD-EF01-1JKM', 'abcd ef01 1jkm', 'ABCDEFOILJKM', ' abcd–efoi–ijkm. '])('reads %j', typed => {
    expect(normaliseUndoCode(typed)).toBe('ABCDEF011JKM')
  })

  it.each([
    ['is added again', undefined, false, 'add'],
    ['is with the account again', 'me', true, 'known'],
    ['is taken from an account without applications', 'other', false, 'move'],
    ['stays with an account with applications', 'other', true, 'taken'],
  ])('gives a contact back: it %s', (_, owner, ownerHasApplications, verdict) => {
    expect(judgeRestore({ applicantId: 'me', owner, ownerHasApplications })).toBe(verdict)
  })
})

describe('the contacts after an undo (D70)', () => {
  const [phone, email] = [
    { kind: 'phone', value: '237671234567' },
    { kind: 'email', value: 'a@b.cm' },
  ] as const
  const removed = { kind: 'phone', value_before: phone.value } as const
  const addedEmail = { kind: 'email', value_before: null } as const
  const removedLater = { kind: 'phone', value_before: '237679999999' } as const
  const addedLater = { kind: 'phone', value_before: null } as const

  it.each([
    ['has the removed one', [removed], [phone, email], true],
    ['lacks the removed one', [removed], [email], false],
    ['lacks the removed one, whatever was added before', [removed, addedEmail], [], false],
    ['does not need the one that was added', [addedEmail], [phone], true],
    ['needs the one from before the first change', [removedLater, addedLater, removed], [phone], true],
    [
      'lacks the removed one while it has another of its kind',
      [removed],
      [{ ...phone, value: '237671234568' }],
      false,
    ],
    ['does not need one that was added and removed again', [removedLater, addedLater], [email], true],
  ])(
    'are those from before the undone changes, or not: the account %s',
    (_, changes, contacts, isComplete) => {
      expect(hasContactsFromBefore(changes, contacts)).toBe(isComplete)
    },
  )
})

describe('the contacts that are notified of a change and can undo it (D70, D122)', () => {
  const phone = { kind: 'phone', value: '237671234567', isEstablished: true } as const
  const email = { kind: 'email', value: 'a@b.cm', isEstablished: true } as const
  /** Its addition can still be undone. */
  const young = { ...email, isEstablished: false }
  const change = {
    before: [phone],
    removed: undefined,
    added: undefined,
    isReleased: false,
    isAnswerToUndo: false,
  }
  const added = { kind: 'email', value: 'a@b.cm' } as const

  it.each([
    ['an added contact cannot undo its addition', { added }, { [phone.value]: true, [email.value]: false }],
    [
      'both old contacts can undo a removal',
      { before: [phone, email], removed: email },
      { [phone.value]: true, [email.value]: true },
    ],
    [
      'a young contact cannot undo its removal',
      { before: [phone, young], removed: young },
      { [phone.value]: true, [email.value]: false },
    ],
    [
      'of two young contacts only the older can undo',
      { before: [young, { ...phone, isEstablished: false }], removed: undefined },
      { [email.value]: true, [phone.value]: false },
    ],
    [
      'a contact that the owner removes after an undo cannot undo its removal',
      { before: [phone, email], removed: email, isAnswerToUndo: true },
      { [phone.value]: true, [email.value]: false },
    ],
    [
      'the contact that stays can undo such a removal',
      { before: [phone, email], removed: phone, isAnswerToUndo: true },
      { [phone.value]: false, [email.value]: true },
    ],
    [
      'a contact with another holder hears nothing',
      { before: [phone, email], removed: phone, isReleased: true },
      { [email.value]: true },
    ],
    [
      'a young contact that stays can undo, when the old one has another holder',
      { before: [phone, young], removed: phone, isReleased: true },
      { [email.value]: true },
    ],
    ['an account without contacts gets no message', { before: [] }, {}],
  ])('%s', (_, made, expected) => {
    const notices = listNotices({ ...change, ...made })
    expect(Object.fromEntries(notices.map(({ contact, hasCode }) => [contact.value, hasCode]))).toEqual(
      expected,
    )
  })

  it('notifies the added contact last', () => {
    expect(listNotices({ ...change, added }).map(({ contact }) => contact.kind)).toEqual(['phone', 'email'])
  })

  it.each([
    ['a removal after an undone addition', [{ value_before: null }], 'a@b.cm', true],
    ['a removal without an undo before', [], 'a@b.cm', false],
    ['an addition', [{ value_before: null }], undefined, false],
    ['a removal of the contact that the undo gave back', [{ value_before: 'a@b.cm' }], 'a@b.cm', false],
    [
      'a removal of that contact, although other changes were undone',
      [{ value_before: 'a@b.cm' }, { value_before: null }],
      'a@b.cm',
      false,
    ],
  ])('an answer to an undone change, or not: %s', (_, undone, removed, isAnswerToUndo) => {
    expect(answersUndone(undone, removed)).toBe(isAnswerToUndo)
  })
})

describe('the application that opens a dormant account (D122)', () => {
  const form = { dayOfBirth: '07', monthOfBirth: '03', yearOfBirth: '1990', dateOfBirthUnknown: false }
  const application = { number: 'CM-2026-000012-K', form }
  const typed = { applicationNumber: 'CM-2026-000012-K', birth: { day: '7', month: '3', year: '1990' } }
  const birth = typed.birth

  it.each([
    ['its number and date of birth', {}, true],
    ['the number in small letters, without hyphens', { applicationNumber: ' cm2026 000012k' }, true],
    ['the date with zeros', { birth: { day: '07', month: '03', year: ' 1990 ' } }, true],
    ['the date with more zeros', { birth: { day: '007', month: '003', year: '1990' } }, true],
    ['another number', { applicationNumber: 'CM-2026-000013-K' }, false],
    ['the digits of the number alone', { applicationNumber: '2026000012' }, false],
    ['no number', { applicationNumber: '' }, false],
    ['another day', { birth: { ...birth, day: '8' } }, false],
    ['another month', { birth: { ...birth, month: '4' } }, false],
    ['another year', { birth: { ...birth, year: '1991' } }, false],
    ['ten times the day', { birth: { ...birth, day: '70' } }, false],
    ['day and month in one field', { birth: { day: '73', month: '', year: '1990' } }, false],
    ['the year alone', { birth: { day: '', month: '', year: '1990' } }, false],
    ['a wrong number and a wrong date', { applicationNumber: 'X', birth: { ...birth, year: '1991' } }, false],
  ])('opens it, or not, by %s', (_, change, opens) => {
    expect(matchesApplication(application, { ...typed, ...change })).toBe(opens)
  })

  it('needs only the year of birth when the date is unknown', () => {
    const unknown = { ...application, form: { ...form, dateOfBirthUnknown: true } }
    expect(matchesApplication(unknown, { ...typed, birth: { day: '', month: '', year: '1990' } })).toBe(true)
    expect(matchesApplication(unknown, { ...typed, birth: { ...birth, year: '1991' } })).toBe(false)
  })

  it('distinguishes a year with a zero inside from the same digits without the zero', () => {
    const later = { ...application, form: { ...form, yearOfBirth: '2005' } }
    expect(matchesApplication(later, { ...typed, birth: { ...birth, year: '2005' } })).toBe(true)
    expect(matchesApplication(later, { ...typed, birth: { ...birth, year: '205' } })).toBe(false)
  })

  it('opens nothing without a year of birth', () => {
    const empty = { day: '', month: '', year: '' }
    const blank = { dayOfBirth: '', monthOfBirth: '', yearOfBirth: '', dateOfBirthUnknown: false }
    expect(matchesApplication({ ...application, form: blank }, { ...typed, birth: empty })).toBe(false)
  })
})
