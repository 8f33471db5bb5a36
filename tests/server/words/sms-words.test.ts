import { describe, expect, it } from 'vitest'
import { languages } from '#contract/codes.ts'
import { countSegments, isGsm7, toGsm7 } from '#server/outside/gsm-7.ts'
import { listOfficeSeeds } from '#server/seed/offices.ts'
import { appointmentWords } from '#server/words/appointment-words.ts'
import { codeWords } from '#server/words/code-words.ts'
import { contactWords } from '#server/words/contact-words.ts'
import { closedDayNotices } from '#server/words/closed-day-words.ts'
import { paymentNotices } from '#server/words/payment-words.ts'
import { freeDayNotices } from '#server/words/watch-words.ts'

const number = 'CM-2026-0000123'

describe.each(languages)('SMS in %s', language => {
  const texts = [
    codeWords[language].sms({ code: '012345', seconds: 300, host: 'passeport.dgsn.gouv.cm' }),
    contactWords[language].added.phone,
    contactWords[language].added.email,
    paymentNotices[language].text({ number, order: 'PP2026000001234' }),
  ]
  it.each(texts)('%s is one SMS, in letters that all phones have', text => {
    expect(isGsm7(text)).toBe(true)
    expect(countSegments(text)).toBe(1)
  })

  it.each(['01.12.2026 09:30', undefined])(
    'a confirmed appointment (%s) is one or two, whatever the office',
    when => {
      for (const { nameFr, nameEn } of listOfficeSeeds()) {
        const office = language === 'fr' ? nameFr : nameEn
        const text = appointmentWords[language].confirmedSms({ number, office, when })
        expect(isGsm7(toGsm7(text)), text).toBe(true)
        expect(toGsm7(text), text).not.toContain('?')
        expect(countSegments(toGsm7(text)), text).toBeLessThanOrEqual(2)
      }
    },
  )
})

describe.each(languages)('SMS in %s about a day', language => {
  it.each([closedDayNotices, freeDayNotices])('is one or two, whatever the office (D45, F10)', notices => {
    for (const { nameFr, nameEn } of listOfficeSeeds()) {
      const office = language === 'fr' ? nameFr : nameEn
      const facts = { number, office, day: '01.12.2026' }
      for (const fact of Object.values(facts)) expect(notices[language].text(facts)).toContain(fact)
      expect(notices[language].subject(facts)).toContain(number)
      const text = toGsm7(notices[language].text(facts))
      expect(text).not.toContain('?')
      expect(countSegments(text), text).toBeLessThanOrEqual(2)
    }
  })
})

describe('letters that an SMS cannot carry', () => {
  it.each([
    ['Fête de l’hôtel', "Fete de l'hotel"],
    ['Garçon, cœur – « oui »…', 'Garcon, coeur - " oui "...'],
    ['Ngaoundéré à Noël', 'Ngaoundéré à Noel'],
    ['e\u0301te\u0302', 'éte'],
    ['12\u202f000 €', '12 000 €'],
    ['№ 漢 🙂', '? ? ?'],
  ])('%s goes out as %s', (text, sent) => {
    expect(toGsm7(text)).toBe(sent)
    expect(isGsm7(sent)).toBe(true)
  })

  it.each([
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
  ])('and how many SMS a text takes', (text, segments) => {
    expect(countSegments(text)).toBe(segments)
  })
})
