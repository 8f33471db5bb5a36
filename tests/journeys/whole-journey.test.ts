import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { createApplicant } from '#support/applicant.ts'
import { firstPassport } from '#support/applicants.ts'
import { launchChromium } from '#support/chromium.ts'
import { pdfText } from '#support/pdf-text.ts'
import { type Portal, startPortal } from '#support/portal.ts'
import { openWatchedPage } from '#support/watched-page.ts'

let portal: Portal
let browser: Browser

beforeAll(async () => {
  portal = await startPortal()
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
  await portal?.close()
})

describe('the whole journey, on a phone of 360 × 640 (NAV25)', () => {
  it.each<[Language, string]>([
    ['fr', '671 23 45 67'],
    ['en', '672 34 56 78'],
  ])('leads from the welcome page to a printed receipt in %s', async (language, phone) => {
    const { page, context, faults } = await openWatchedPage(browser, { origin: portal.origin })
    const applicant = createApplicant(page, portal, language)

    await applicant.chooseLanguage()
    await applicant.signInByPhone(phone)
    await applicant.startApplication()
    const number = await applicant.applicationNumber()
    await applicant.fillForm({ ...firstPassport, phoneNumber: phone })
    await applicant.confirmData()
    await applicant.payByDemonstration()
    await applicant.bookFirstPlace()
    const receipt = await applicant.finalize()
    expect(await pdfText(await receipt.path())).toContain(number)

    const again = await applicant.downloadReceipt()
    const text = await pdfText(await again.path())
    expect(text).toContain(number)
    expect(text).toContain('Ngo Biyong')
    expect(text).toContain('Éloïse Œdipe')

    expect(faults).toEqual({ requests: [], console: [] })
    await context.close()
  })
})
