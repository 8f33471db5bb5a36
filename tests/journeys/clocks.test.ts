import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { isFullRun } from '#support/test-tier.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { until } from '#support/servers/portal.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'

const dayMs = 24 * 60 * 60 * 1_000
const fixture = joinBrowserFixture()
const everyClock: [string, string, number][] = [
  ['ten years behind', '671500004', -3_652 * dayMs],
  ['a day behind', '671500002', -dayMs],
  ['ten years ahead', '671500003', 3_652 * dayMs],
  ['a day ahead', '671500001', dayMs],
]

describe('a phone with a wrong clock', () => {
  it.runIf(isFullRun).each<[string, string, number]>(everyClock)(
    '%s completes the journey (D23)',
    async (_, phone, offsetMs) => {
      const { page, context, applicant } = await fixture.openWelcome('en')
      await page.clock.install({ time: machineClock.now().getTime() + offsetMs })
      await page.goto('/')
      const { number, receipt } = await applicant.completeJourney(phone)
      expect(await readPdfText(await receipt.path())).toContain(number)
      await context.close()
    },
  )
})

describe('a session while the applicant fills in the form', () => {
  it.runIf(isFullRun)(
    'may end: the answers and the last tab of the form are there after the next sign-in of the same applicant (S82, D30)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('fr')
      await page.clock.install()
      await applicant.signInByPhone('671500005')
      await applicant.startApplication()
      await applicant.fillGeneral(firstPassport)
      await applicant.continueTo('tab.PersonData')
      await applicant.named('surname').pressSequentially('Ngo Biyo')
      // Without the cookie, the next refresh fails; it runs at half of the token's lifetime.
      await context.clearCookies()
      await applicant.named('surname').pressSequentially('ng')
      expect(await applicant.named('surname').inputValue()).toBe('Ngo Biyong')
      await applicant.named('givenName').pressSequentially('Éloïse')
      await page.clock.fastForward(8 * 60 * 1_000)
      await page.getByText(applicant.t('notice.signIn')).first().waitFor()
      await applicant.heading('welcome.heading')

      await applicant.signInByPhone('671500005')
      await page
        .getByRole('main')
        .getByRole('link', { name: applicant.t('procedure.open.form') })
        .click()
      await applicant.heading('tab.PersonData')
      expect(await applicant.named('surname').inputValue()).toBe('Ngo Biyong')
      expect(await applicant.named('givenName').inputValue()).toBe('Éloïse')
      await context.close()
    },
  )

  it('is refreshed by its cookie while the applicant types (SES04)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await page.clock.install()
    await applicant.signInByPhone('671500006')
    await applicant.startApplication()
    await applicant.named('travelDestination').pressSequentially('Tch')
    const refreshed = page.waitForResponse('**/refresh-token')
    await page.clock.fastForward(8 * 60 * 1_000)
    await applicant.named('travelDestination').pressSequentially('ad')
    expect((await refreshed).status()).toBe(200)
    await applicant.named('travelDestination').pressSequentially(' !')
    expect(await applicant.named('travelDestination').inputValue()).toBe('Tchad !')
    expect(new URL(page.url()).pathname).toContain('GeneralData')
    await context.close()
  })
})

describe('the language', () => {
  it.runIf(isFullRun)('can be switched on each tab, and all answers stay (NAV21)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await applicant.signInByPhone('671500007')
    await applicant.startApplication()
    let reader: Applicant = applicant
    let language: Language = 'fr'
    const switchLanguage = async () => {
      const before = await valuesOf(page)
      language = language === 'fr' ? 'en' : 'fr'
      await page.getByRole('button', { name: language.toUpperCase(), exact: true }).click()
      await page.locator(`html[lang="${language}"]`).waitFor()
      reader = createApplicant(page, fixture.portal(), language)
      await until(`the answers on ${page.url()} to be shown again`, async () =>
        JSON.stringify(await valuesOf(page)) === JSON.stringify(before) ? true : undefined,
      )
    }
    await reader.fillGeneral(firstPassport)
    await switchLanguage()
    await reader.continueTo('tab.PersonData')
    await reader.fillPerson(firstPassport)
    await switchLanguage()
    await reader.continueTo('tab.ParentData')
    await reader.fillParents(firstPassport)
    await switchLanguage()
    await reader.continueTo('tab.NicData')
    await reader.fillDocuments(firstPassport)
    await switchLanguage()
    await reader.button('button.submit').click()
    await reader.heading('confirm.heading')
    await page.getByText(firstPassport.motherSurname).first().waitFor()
    await context.close()
  })
})

/** The values of the fields on the open tab, by name. */
function valuesOf(page: Page): Promise<[string, string][]> {
  return page.locator('main [name]').evaluateAll(controls =>
    controls.flatMap(control => {
      const isChoice = control instanceof HTMLInputElement && ['radio', 'checkbox'].includes(control.type)
      if (isChoice && !control.checked) return []
      return control instanceof HTMLInputElement || control instanceof HTMLSelectElement
        ? [[control.name, control.value] as [string, string]]
        : []
    }),
  )
}
