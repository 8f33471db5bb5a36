import { describe, expect, it } from 'vitest'
import { maskOperand } from '#server/cli/mask.ts'

describe('what the record of a command keeps of its operands (D102)', () => {
  it.each(['PP-2026-000042-9', 'PAY-2026-0000042', 'READY_FOR_CM', 'FAILED', '12', '2026-11-27'])(
    'keeps %s',
    text => expect(maskOperand(text)).toBe(text),
  )

  it.each([
    ['NGO', 'N**'],
    ['NGO MARIE', 'N** M****'],
    ['Ngo', 'N**'],
    ['237671234567', '+237*******67'],
    ['awa@example.cm', 'a**@example.cm'],
  ])('masks %s', (text, masked) => expect(maskOperand(text)).toBe(masked))
})
