import { describe, expect, it } from 'vitest'
import { officeWithTown } from '#contract/appointment.ts'

describe('officeWithTown (APT18, FIN07)', () => {
  it('keeps the dash on the line of the name', () => {
    expect(officeWithTown({ office: 'CNPP', city: 'Yaoundé', country: 'Cameroun' })).toBe(
      'CNPP\u00a0– Yaoundé, Cameroun',
    )
  })
})
