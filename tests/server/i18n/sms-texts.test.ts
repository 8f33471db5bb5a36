import { describe, expect, it } from 'vitest'
import { languages } from '#contract/codes.ts'
import { countSegments, isGsm7, toGsm7 } from '#server/integrations/gsm-7.ts'
import { listOfficeSeeds } from '#server/seed/offices.ts'
import { durationText } from '#server/i18n/duration-text.ts'
import { translateTo } from '#server/i18n/translate.ts'

const number = 'PP-2026-000012-7'

describe.each(languages)('SMS in %s', language => {
  const t = translateTo(language)
  const texts = [
    t('code.sms', { code: '012345', duration: durationText(t, 300), host: 'passeport.dgsn.gouv.cm' }),
    ...(['added.phone', 'added.email', 'removed.phone', 'removed.email'] as const).flatMap(change => {
      const what = t(`contactChange.sms.${change}`)
      const link = 'https://passeport.dgsn.gouv.cm/undo#ABCD-EFGH-JKMN'
      return [
        `${what} ${t('contactChange.sms.undo', { link })}`,
        `${what} ${t('contactChange.sms.writeToService')}`,
      ]
    }),
    t('contactChange.sms.undone'),
    t('contactChange.sms.partlyUndone'),
    t('accountDeletion.sms.asked', { day: '01.12.2026', link: 'https://passeport.dgsn.gouv.cm' }),
    t('accountDeletion.sms.kept'),
    t('paymentConfirmed.text', { number, order: 'PO-2026-000012-7K3M9QXT' }),
    ...(['unpaid', 'never-enrolled'] as const).map(cause =>
      t(`deletion.${cause}.sms`, { number, day: '01.12.2026' }),
    ),
  ]
  it.each(texts)('fits into one SMS of GSM 7-bit characters: %s', text => {
    expect(isGsm7(text)).toBe(true)
    expect(countSegments(text)).toBe(1)
  })

  it.each(['confirmation.sms', 'confirmation.sms.generalQueue', 'reminder.sms'] as const)(
    'needs one or two SMS for an appointment (%s), for every office',
    key => {
      for (const { nameFr, nameEn } of listOfficeSeeds()) {
        const office = language === 'fr' ? nameFr : nameEn
        const text = t(key, { number, office, when: '01.12.2026 09:30' })
        expect(isGsm7(toGsm7(text)), text).toBe(true)
        expect(toGsm7(text), text).not.toContain('?')
        expect(countSegments(toGsm7(text)), text).toBeLessThanOrEqual(2)
      }
    },
  )
})

describe.each(languages)('SMS in %s about a day', language => {
  it.each(['closedDay', 'noShow', 'freeDay'] as const)(
    'needs one or two messages for every office (D45, F10): %s',
    notice => {
      const t = translateTo(language)
      for (const { nameFr, nameEn } of listOfficeSeeds()) {
        const office = language === 'fr' ? nameFr : nameEn
        const facts = { number, office, day: '01.12.2026' }
        for (const fact of Object.values(facts)) expect(t(`${notice}.text`, facts)).toContain(fact)
        expect(t(`${notice}.subject`, facts)).toContain(number)
        const text = toGsm7(t(`${notice}.text`, facts))
        expect(text).not.toContain('?')
        expect(countSegments(text), text).toBeLessThanOrEqual(2)
      }
    },
  )
})

describe('the conversion to GSM 7-bit', () => {
  it.each([
    ['Fête de l’hôtel', "Fete de l'hotel"],
    ['Garçon, cœur – « oui »…', 'Garcon, coeur - " oui "...'],
    ['Ngaoundéré à Noël', 'Ngaoundéré à Noel'],
    ['e\u0301te\u0302', 'éte'],
    ['12\u202f000 €', '12 000 €'],
    ['№ 漢 🙂', '? ? ?'],
  ])('sends %s as %s', (text, sent) => {
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
  ])('counts the SMS of a text', (text, segments) => {
    expect(countSegments(text)).toBe(segments)
  })
})
