import { describe, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'

/** As after `npm start`: with the embedded database. */
const fixture = startBrowserFixture({}, { isEmbedded: true })

describe('the whole journey, on a phone of 360 × 640 (NAV25)', () => {
  it.each<[Language, string]>([
    ['fr', '678 23 45 67'],
    ['en', '672 34 56 78'],
  ])('leads from the welcome page to a printed receipt in %s', async (language, phone) => {
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
  })
})
