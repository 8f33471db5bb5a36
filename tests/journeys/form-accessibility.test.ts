import { describe, expect, it } from 'vitest'
import { type Tab, tabs } from '#contract/application.ts'
import { almostEveryQuestion } from '#support/data/almost-every-question.ts'
import { createFormPage } from '#support/browsers/form-page.ts'
import { freshPhone } from '#support/data/fresh-phone.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = startBrowserFixture({ CAPTCHA: 'off' })
const longTimeout = { timeout: 60_000 }

describe.each(testedLanguages)('the four tabs in %s', language => {
  it('move the focus to the heading of a new tab, to the error summary, and from five summary links to their fields (FRM10)', async () => {
    const { page, context, applicant } = await fixture.openWelcome(language, { serviceWorkers: 'block' })
    const { t } = applicant
    const form = createFormPage(page)
    const title = (tab: Tab) => t('app.title', { page: t(`tab.${tab}`) })
    const focused = () => page.evaluate(nameOfFocus)
    await applicant.signInByPhone(freshPhone())
    await applicant.startApplication()

    for (const tab of ['NicData', 'ParentData', 'PersonData'] as const) {
      await form.open(tab)
      await applicant.heading(`tab.${tab}`)
      await expect.poll(focused, longTimeout).toBe('heading')
      expect(await page.title()).toBe(title(tab))
    }

    await applicant.button('button.continue').click()
    await expect.poll(focused, longTimeout).toBe('alert')
    const errorTitle = t('app.errorTitle', { page: t('tab.PersonData') })
    await expect.poll(() => page.title(), longTimeout).toBe(t('app.title', { page: errorTitle }))
    await form.summary.getByRole('link').nth(0).click()
    await expect.poll(focused, longTimeout).toBe('surname')
    await followSummaryLink(t('field.dateOfBirth'), 'dayOfBirth')
    await followSummaryLink(t('field.regionCode'), 'regionCode')
    await followSummaryLink(t('field.resAddressStreet'), 'resAddressStreet')
    await applicant.button('button.continue').click()
    await expect.poll(focused, longTimeout).toBe('alert')

    await form.open('ParentData')
    await applicant.heading('tab.ParentData')
    expect(await page.title()).toBe(title('ParentData'))
    await applicant.button('button.continue').click()
    await followSummaryLink(t('field.addReprData'), 'addReprData')

    async function followSummaryLink(question: string, name: string) {
      await form.summary.getByRole('link', { name: question }).click()
      await expect.poll(focused, longTimeout).toBe(name)
      const field = await page.locator(':focus').evaluate(element => {
        const withLabel = element.closest('[data-invalid]')?.getBoundingClientRect()
        return {
          top: withLabel?.top ?? -1,
          bottom: element.getBoundingClientRect().bottom,
          height: innerHeight,
        }
      })
      // The label of the field is visible too.
      expect(field.top).toBeGreaterThanOrEqual(0)
      expect(field.bottom).toBeLessThanOrEqual(field.height)
    }
    await context.close()
  })

  it.runIf(isFullRun)(
    'are an ordered list of links, each with the state of its tab as text (FRM01, FRM04, FRM05)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome(language, { serviceWorkers: 'block' })
      const { t } = applicant
      await applicant.signInByPhone(freshPhone())
      await applicant.startApplication()
      const links = page.getByRole('navigation', { name: t('tab.label') }).locator('ol > li > a[href]')
      // The heading is rendered before the form is loaded; the list of tabs comes with the form.
      await expect
        .poll(() => links.evaluateAll(describeSteps), longTimeout)
        .toEqual(
          tabs.map(tab => [
            `${t(`tab.${tab}`)}, ${t('tab.incomplete')}`,
            tab,
            tab === 'GeneralData' ? 'step' : '',
          ]),
        )
      await applicant.fillGeneral(almostEveryQuestion)
      await applicant.continueTo('tab.PersonData')
      await expect
        .poll(async () => (await links.evaluateAll(describeSteps)).slice(0, 2), longTimeout)
        .toEqual([
          [`${t('tab.GeneralData')}, ${t('tab.valid')}`, 'GeneralData', ''],
          [`${t('tab.PersonData')}, ${t('tab.incomplete')}`, 'PersonData', 'step'],
        ])
      expect(await page.getByRole('tab').count()).toBe(0)
      await context.close()
    },
  )
})

/** Runs in the page: the name, id or role of the focused element. */
function nameOfFocus(): string {
  const focused = document.activeElement
  return focused?.getAttribute('name') || focused?.id || focused?.getAttribute('role') || ''
}

/** Runs in the page: for each step its accessible text, the tab that it opens, and whether it is the current one. */
function describeSteps(links: Element[]): string[][] {
  return links.map(link => [
    [...link.querySelectorAll('span:not([aria-hidden="true"])')]
      .filter(span => span.parentElement === link)
      .map(span => span.textContent)
      .join(''),
    link.getAttribute('href')?.split('/').at(-1) ?? '',
    link.getAttribute('aria-current') ?? '',
  ])
}
