import { describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import { durationText } from '#server/i18n/duration-text.ts'
import { translateTo } from '#server/i18n/translate.ts'

/** The SMS with the code 012345. */
function codeSms(language: Language, { seconds, host }: { seconds: number; host: string }): string {
  const t = translateTo(language)
  return t('code.sms', { code: '012345', duration: durationText(t, seconds), host })
}

/** The basic characters of GSM 03.38; each uses one of the 160 septets of an SMS. */
const gsm7 = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà]*$/

describe.each(languages)('the SMS with a code in %s', language => {
  it.each([60, 90, 300, 600])('is one SMS when the code is valid for %i s', seconds => {
    const text = codeSms(language, { seconds, host: 'passeport.dgsn.gouv.cm' })
    expect(text).toMatch(gsm7)
    expect(text.length).toBeLessThanOrEqual(160)
  })

  it('ends with the line from which browsers read the code', () => {
    const text = codeSms(language, { seconds: 60, host: 'localhost' })
    expect(text.split('\n').at(-1)).toBe('@localhost #012345')
  })
})

describe('the lifetime of a code as text', () => {
  it.each([
    ['fr', 60, '1 minute.'],
    ['fr', 300, '5 minutes.'],
    ['fr', 90, '90 secondes.'],
    ['en', 60, '1 minute.'],
    ['en', 1, '1 second.'],
  ] as const)('in %s, is written for %i s as %s', (language, seconds, words) => {
    expect(codeSms(language, { seconds, host: 'localhost' })).toContain(` ${words}`)
  })
})
