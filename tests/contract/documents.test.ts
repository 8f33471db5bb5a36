import { expect, it } from 'vitest'
import {
  additionalPassport,
  firstPassport,
  lostPassport,
  nicChoices,
  noNic,
  reasons,
  stolenPassport,
} from '#contract/codes.ts'
import { hasNic, isPassportGone, previousPassport } from '#contract/documents.ts'

it('asks for the previous passport, except for one reason, and leaves it optional for one other (DOC07, DOC08, DOC09, S58)', () => {
  expect(previousPassport('')).toBe('none')
  const asked = reasons.map(reason => previousPassport(reason))
  expect(asked.filter(need => need === 'mandatory')).toHaveLength(reasons.length - 2)
  expect(previousPassport(firstPassport)).toBe('none')
  expect(previousPassport(additionalPassport)).toBe('optional')
})

it('takes the previous passport for gone when it was lost or stolen', () => {
  expect(['', ...reasons].filter(isPassportGone)).toEqual([lostPassport, stolenPassport])
})

it('asks for the card only when one was chosen (DOC02)', () => {
  expect(hasNic('')).toBe(false)
  expect(nicChoices.filter(choice => !hasNic(choice))).toEqual([noNic])
})
