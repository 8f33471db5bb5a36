import { describe, expect, it } from 'vitest'
import { maskOperand } from '#server/cli/mask.ts'

describe('an operand in the record of a run (D102)', () => {
  // Capitals alone do not tell: states are kept, a name in capitals is masked.
  it.each([
    'PP-2026-000042-9',
    'PO-2026-000042-7KXM2QPD',
    'PAY-2026-0000042',
    'READY_FOR_CM',
    'FAILED',
    '12',
    '2026-11-27',
  ])('is kept: %s', text => expect(maskOperand(text)).toBe(text))

  it.each([
    ['NGO', 'N**'],
    ['NGO MARIE', 'N** M****'],
    ['Ngo', 'N**'],
    ['237671234567', '+237*******67'],
    ['awa@example.cm', 'a**@example.cm'],
    // Numbers of documents.
    ['AB123456', 'A*******'],
    ['112345678', '1********'],
  ])('is masked: %s', (text, masked) => expect(maskOperand(text)).toBe(masked))
})
