import { expect, it } from 'vitest'
import { startFaultyBrowserFixture } from '#support/browsers/faulty-browser-fixture.ts'
import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startFaultyBrowserFixture()

it.runIf(isFullRun)(
  'requests a list of the form once a day, and no part of pdf.js before a printed page is opened (D35, D37)',
  async () => {
    const { page, context, applicant } = await fixture.openApplicant('fr')
    await waitForWorker(page)
    await applicant.completeJourney('671340001')
    await applicant.downloadReceipt()
    await page.goto('/procedure')
    await applicant.heading('procedure.heading')
    const paths = fixture
      .proxy()
      .requests()
      .map(({ path }) => path)
    expect(paths.filter(path => path.startsWith('/assets/pdf'))).toEqual([])
    for (const list of ['/api/v1/applications/countries?lg=fr', '/api/v1/dictionary/professions?lg=fr'])
      expect(
        paths.filter(path => path === list),
        list,
      ).toHaveLength(1)
    await context.close()
  },
)
