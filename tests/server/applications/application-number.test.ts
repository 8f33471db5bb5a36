import { describe, expect, it } from 'vitest'
import { ApplicationNumber } from '#contract/ids.ts'
import { applicationNumber, isApplicationNumber } from '#server/features/applications/application-number.ts'

describe('an application number', () => {
  const number = applicationNumber('2026', 12)

  it('contains the year, the sequence number and a check digit', () => {
    expect(number).toMatch(/^PP-2026-000012-\d$/)
    expect(ApplicationNumber.safeParse(number).success).toBe(true)
    expect(isApplicationNumber(number)).toBe(true)
    expect(isApplicationNumber(applicationNumber('2026', 12_345_678))).toBe(true)
  })

  it('detects every single wrong digit', () => {
    const misread = [...number.matchAll(/\d/g)].flatMap(({ index }) =>
      Array.from('0123456789')
        .filter(digit => digit !== number[index])
        .map(digit => `${number.slice(0, index)}${digit}${number.slice(index + 1)}`),
    )
    expect(misread.filter(isApplicationNumber)).toEqual([])
  })
})
