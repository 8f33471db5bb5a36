import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { createApplicant } from './applicant.ts'
import { closeContexts, sharedChromium } from './chromium.ts'
import { type FaultyLine, openFaultyLine } from './faulty-line.ts'
import { type Portal, startPortal } from './portal.ts'
import { takeViolations } from './wall.ts'
import { openWatchedPage } from './watched-page.ts'

/** As `walkThePortal`, with a line between the phones and the server that breaks where it is told to. */
export function walkOnFaultyLine(settings: { hang?: number; environment?: Record<string, string> } = {}) {
  let running: { portal: Portal; line: FaultyLine } | undefined

  beforeAll(async () => {
    const line = await openFaultyLine(settings)
    const portal = await startPortal({ PUBLIC_ORIGIN: line.origin, ...settings.environment })
    line.lead(Number(new URL(portal.origin).port))
    running = { portal, line }
  })
  afterAll(async () => {
    await closeContexts()
    await running?.line.close()
    await running?.portal.close()
  })

  // Where a captive portal leads a call to, the page's policy does not let it follow: as it should be.
  afterEach(() => {
    const ours = `connect-src ${running?.line.origin}/api/`
    expect(takeViolations().filter(each => !each.startsWith(ours))).toEqual([])
  })

  function parts() {
    if (!running) throw new Error('the line runs only inside tests')
    return running
  }

  return {
    portal: () => parts().portal,
    line: () => parts().line,
    async meet(language: Language) {
      const { portal, line } = parts()
      const opened = await openWatchedPage(await sharedChromium(), { origin: line.origin })
      const applicant = createApplicant(opened.page, portal, language)
      await applicant.chooseLanguage()
      return { ...opened, applicant }
    },
  }
}
