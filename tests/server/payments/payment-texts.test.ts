import { describe, expect, it } from 'vitest'
import { languages } from '#contract/codes.ts'
import { translateTo } from '#server/i18n/translate.ts'

describe('the message that a payment has come', () => {
  it.each(languages)('F2 is one short message in %s, with the number and the order', language => {
    const text = translateTo(language)('paymentConfirmed.text', {
      number: 'PP-2026-000012-4',
      order: 'PO-2026-000012',
    })
    expect(text.length).toBeLessThanOrEqual(160)
    expect(text).toMatch(/^[ -~éèàùìòÇÉ]+$/)
    expect(text).toContain('PP-2026-000012-4')
    expect(text).toContain('PO-2026-000012')
  })
})
