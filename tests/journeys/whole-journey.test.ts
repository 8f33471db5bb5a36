import { describe, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { testedLanguages } from '#support/test-tier.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'

const phones = { fr: '678 23 45 67', en: '672 34 56 78' } satisfies Record<Language, string>

/** As after `npm start`: with the embedded database. */
const fixture = startBrowserFixture({}, { hasEmbeddedDatabase: true })

describe('the whole journey, on a phone of 360 × 640 (NAV25)', () => {
  it.each(testedLanguages.map(language => [language, phones[language]] as const))(
    'leads from the welcome page to the receipt as a PDF, in %s',
    async (language, phone) => {
      const { context, faults, applicant } = await fixture.openWelcome(language)
      const { number, receipt } = await applicant.completeJourney(phone)
      expect(await readPdfText(await receipt.path())).toContain(number)

      const again = await applicant.downloadReceipt()
      const text = await readPdfText(await again.path())
      expect(text).toContain(number)
      expect(text).toContain('Ngo Biyong')
      expect(text).toContain('Éloïse Œdipe')

      expect(faults).toEqual({ requests: [], console: [] })
      await context.close()
    },
  )
})
