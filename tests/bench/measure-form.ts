import { createApplicant } from '#support/browsers/applicant.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import type { Portal } from '#support/servers/portal.ts'
import type { Figures } from './figures/rounds.ts'
import { heapBytes, slowPage, typeKeys } from './visit.ts'

/** Measures a text field of the form, which saves itself during typing. `phone`: of an applicant without an application. */
export async function measureForm(portal: Portal, phone: string): Promise<Figures> {
  const browser = await launchChromium()
  try {
    const context = await browser.newContext({
      baseURL: portal.origin,
      viewport: { width: 412, height: 823 },
    })
    const { page, cdp } = await slowPage(context)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    const applicant = createApplicant(page, portal, 'fr')
    await applicant.chooseLanguage()
    await applicant.signInByPhone(phone)
    await applicant.startApplication()
    await applicant.named('travelDestination').focus()
    await page.waitForTimeout(4_000)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    // Before the keys, as for the pages.
    const heap = await heapBytes(cdp)
    return { heapBytes: heap, ...(await typeKeys(page, cdp)) }
  } finally {
    await browser.close()
  }
}
