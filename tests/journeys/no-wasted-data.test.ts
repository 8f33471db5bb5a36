import { expect, it } from 'vitest'
import { startFaultyBrowserFixture } from '#support/browsers/faulty-browser-fixture.ts'
import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startFaultyBrowserFixture()

it.runIf(isFullRun)(
  'requests the countries and the occupations once for two forms of a day, and no part of pdf.js while no PDF is shown or printed (D35, D37)',
  async () => {
    const { page, context, applicant } = await fixture.openApplicant('fr')
    await waitForWorker(page)
    await applicant.completeJourney('671340001')
    await applicant.downloadReceipt()
    // A second form in a new document.
    await page.goto('/procedure')
    await applicant.startApplication()
    await page.goto(page.url().replace('GeneralData', 'PersonData'))
    // Their options are the countries and the occupations.
    for (const name of ['placeOfBirth', 'occupation'])
      await expect.poll(() => applicant.named(name).locator('option').count()).toBeGreaterThan(5)
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
