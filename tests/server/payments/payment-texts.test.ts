import { describe, expect, it } from 'vitest'
import { languages } from '#contract/codes.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { countSegments, isGsm7 } from '#server/integrations/gsm-7.ts'

describe('the message about a payment', () => {
  it.each(languages)('is one SMS in %s, with the application number and the order (F2)', language => {
    const text = translateTo(language)('paymentConfirmed.text', {
      number: 'PP-2026-000012-1',
      order: 'PO-2026-000012-0A1B2C3D',
    })
    expect(isGsm7(text)).toBe(true)
    expect(countSegments(text)).toBe(1)
    expect(text).toContain('PP-2026-000012-1')
    expect(text).toContain('PO-2026-000012-0A1B2C3D')
  })
})
