import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFormPage } from '#support/browsers/form-page.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
const longTimeout = { timeout: 60_000 }

/** The places of birth, of residence, and of the representative's birth. */
const places = [
  {
    tab: 'PersonData',
    names: ['placeOfBirth', 'regionCode', 'departmentCode', 'localityId', 'city'],
  },
  {
    tab: 'PersonData',
    names: [
      'resAddressCountry',
      'resAddressRegionCode',
      'resAddressDepartmentCode',
      'resAddressLocalityId',
      'resAddressCity',
    ],
  },
  {
    tab: 'ParentData',
    names: ['reprPlaceOfBirth', 'reprRegionCode', 'reprDepartmentCode', 'reprLocalityId', 'reprCity'],
  },
] as const

describe('a place on the form', () => {
  it.each(isFullRun ? places : places.slice(0, 1))(
    'asks for region, department and locality in Cameroon, and for a city elsewhere: $names.0 (FRM08, FRM09, FRM15–FRM17, S72)',
    async ({ tab, names }) => {
      const { page, applicant, form, context } = await openForm('en')
      const [country, region, department, locality, city] = names
      await form.open(tab)
      if (tab === 'ParentData') await form.answer({ addReprData: 'YES', reprPlaceOfBirth: '10998' })

      expect(await selectedText(page, department)).toBe('First select a region')
      expect(await selectedText(page, locality)).toBe('First select the department')
      await form.answer({ [region]: 'LITTORAL', [department]: 'WOURI', [locality]: '5004001' })
      expect(await selectedText(page, locality)).toBe('Douala 1st')

      await form.answer({ [department]: 'MOUNGO' })
      expect(await form.currentAnswers([region, department, locality])).toEqual({
        [region]: 'LITTORAL',
        [department]: 'MOUNGO',
        [locality]: '',
      })
      await form.answer({ [locality]: '5001003', [region]: 'EAST' })
      expect(await form.currentAnswers([region, department, locality])).toEqual({
        [region]: 'EAST',
        [department]: '',
        [locality]: '',
      })
      expect(await selectedText(page, locality)).toBe('First select the department')

      await form.answer({ [country]: '11037', [city]: 'Lille' })
      expect(await form.control(region).count()).toBe(0)
      await form.answer({ [country]: '10998' })
      expect(await form.control(city).count()).toBe(0)
      expect(await form.currentAnswers([region, department, locality])).toEqual({
        [region]: '',
        [department]: '',
        [locality]: '',
      })
      await form.answer({ [country]: '11037' })
      expect(await form.currentAnswers([city])).toEqual({ [city]: '' })
      // The city is a new question: it has no issue until its field loses the focus.
      expect(await form.messages()).toEqual([])
      await applicant.heading(`tab.${tab}`)
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'says that a list is loading or could not be loaded, and retries on request (FRM06, FRM07)',
    async () => {
      const { page, applicant, form, context } = await openForm('fr')
      const { t } = applicant
      const network: { state: 'slow' | 'broken' | 'fine'; waiting: Route[] } = { state: 'slow', waiting: [] }
      await page.route('**/api/v1/dictionary/departments?*', route => {
        if (network.state === 'slow') return void network.waiting.push(route)
        return network.state === 'broken' ? fail(route) : route.continue()
      })
      await form.open('PersonData')
      await form.answer({ regionCode: 'LITTORAL', surname: 'Ewané' })
      await expect.poll(() => selectedText(page, 'departmentCode'), longTimeout).toBe(t('select.loading'))
      expect(await form.control('departmentCode').getAttribute('aria-busy')).toBe('true')

      network.state = 'broken'
      await Promise.all(network.waiting.map(fail))
      await expect
        .poll(() => selectedText(page, 'departmentCode'), longTimeout)
        .toBe(t('select.fetchOptionsError'))
      network.state = 'fine'
      await applicant.button('button.retry').click()
      await form.answer({ departmentCode: 'WOURI', localityId: '5004001' })
      expect(await form.currentAnswers(['surname', 'regionCode', 'localityId'])).toEqual({
        surname: 'Ewané',
        regionCode: 'LITTORAL',
        localityId: '5004001',
      })
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'is found by typing a part of one of its names (Mindourou for Dja), and chosen by Enter or a click',
    async () => {
      const { page, applicant, form, context } = await openForm('fr')
      const { t } = applicant
      await form.open('PersonData')
      await form.answer({ regionCode: 'EAST', departmentCode: 'HAUT-NYONG' })
      await expect
        .poll(() => form.control('localityId').locator('option').count(), longTimeout)
        .toBeGreaterThan(12)

      await form.control('localityId').focus()
      await page.keyboard.press('Tab')
      expect(await page.locator(':focus').textContent()).toBe(t('select.search'))
      await page.keyboard.press('Enter')
      await page.keyboard.type('mindou')
      await page.getByRole('status').getByText('1 résultat').waitFor()
      await page.keyboard.press('Enter')
      expect(await form.currentAnswers(['localityId'])).toEqual({ localityId: '3002004' })
      expect(await selectedText(page, 'localityId')).toBe('Dja (Mindourou)')
      expect(await page.locator(':focus').getAttribute('name')).toBe('localityId')

      // The search ignores accents and apostrophes; the results can be reached with Tab or a tap.
      await form.control('placeOfBirth').focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.keyboard.type('cote d ivoire')
      await page.getByRole('button', { name: 'Côte d’Ivoire' }).click()
      expect(await selectedText(page, 'placeOfBirth')).toBe('Côte d’Ivoire')
      await context.close()
    },
  )
})

describe('a contact that was verified at sign-in', () => {
  it.runIf(isFullRun)('is read-only; the other contact can be edited (PER14, S04)', async () => {
    const { applicant, form, context } = await openForm('en', '+376312345')
    await form.open('PersonData')
    await applicant.fillPerson(firstPassport)
    expect(await form.control('phoneNumber').isEditable()).toBe(false)
    expect(await form.control('dialCode').isDisabled()).toBe(true)
    expect(await form.control('email').isEditable()).toBe(true)
    expect((await form.control('phoneNumber').inputValue()).replaceAll(' ', '')).toBe('312345')
    await applicant.page.getByText(applicant.t('field.known')).waitFor()
    await applicant.continueTo('tab.ParentData')
    await context.close()
  })
})

describe('a phone number', () => {
  it.runIf(isFullRun)(
    'is shown as typed while the field has the focus, and in groups of digits after blur',
    async () => {
      const { page, applicant } = await fixture.openSignedIn('fr', 'groups@example.cm')
      const form = createFormPage(page)
      await applicant.startApplication()
      await form.open('PersonData')
      await form.control('phoneNumber').pressSequentially('00237671 2345')
      expect(await form.control('phoneNumber').inputValue()).toBe('00237671 2345')
      await form.control('phoneNumber').pressSequentially('67')
      await form.control('resAddressStreet').focus()
      expect(await form.control('phoneNumber').inputValue()).toBe('6 71 23 45 67')
      await form.control('phoneNumber').press('End')
      await form.control('phoneNumber').press('Backspace')
      await form.control('phoneNumber').press('8')
      await applicant.fillPerson({ ...firstPassport, phoneNumber: '671 23 45 68' })
      await applicant.continueTo('tab.ParentData')
      await form.open('PersonData')
      expect(await form.control('phoneNumber').inputValue()).toBe('6 71 23 45 68')
      await page.context().close()
    },
  )
})

describe('Submit', () => {
  it.runIf(isFullRun)(
    'on the last tab, checks all tabs and opens the first one with an issue (FRM13, S54)',
    async () => {
      const { applicant, form, context } = await openForm('fr')
      await form.open('NicData')
      await form.answer({ selectNic: '1' })
      await applicant.button('button.submit').click()
      await applicant.heading('tab.GeneralData')
      await form.summary.waitFor()
      await applicant.fillGeneral(firstPassport)
      await form.open('NicData')
      await applicant.button('button.submit').click()
      await applicant.heading('tab.PersonData')
      await expect.poll(questionsOf(form)).toContain('surname')
      await applicant.fillPerson(firstPassport)
      await form.open('NicData')
      await applicant.button('button.submit').click()
      await applicant.heading('tab.ParentData')
      await expect.poll(questionsOf(form)).toEqual(['motherSurname', 'addReprData'])
      await context.close()
    },
  )
})

let applicantCount = 0

/** Opens a new application of an applicant with this contact; without one, with a contact that no other test has. */
async function openForm(language: 'fr' | 'en', contact?: string) {
  applicantCount += 1
  const newContact = `6710004${String(applicantCount).padStart(2, '0')}`
  const opened = await fixture.openSignedIn(language, contact ?? newContact, {
    serviceWorkers: 'block',
  })
  await opened.applicant.startApplication()
  return { ...opened, form: createFormPage(opened.page) }
}

/** Reads the questions of the summary, which appears some time later than the heading of its tab. */
function questionsOf(form: ReturnType<typeof createFormPage>): () => Promise<string[]> {
  return async () => (await form.links()).map(([question]) => question)
}

function fail(route: Route): Promise<void> {
  return answerAsServer(route, { status: 500, json: {} })
}

/** Returns the text of the selected option of a list. */
function selectedText(page: Page, name: string): Promise<string> {
  return page
    .locator(`select[name="${name}"]`)
    .evaluate(select => (select instanceof HTMLSelectElement ? (select.selectedOptions[0]?.text ?? '') : ''))
}
