import { describe, expect, it } from 'vitest'
import { languages } from '#contract/codes.ts'
import { createApplicant } from '#support/browsers/applicant.ts'
import { almostEveryQuestion } from '#support/data/almost-every-question.ts'
import { buttonName } from '#support/data/texts.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { createKeyboard } from '#support/browsers/keyboard.ts'
import { createConfirmedApplication, openPaidApplication } from '#support/browsers/application-by-calls.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = joinBrowserFixture()
const longTimeout = { timeout: 60_000 }

describe.each(testedLanguages)('the keyboard only, in %s', language => {
  const phone = `67100034${languages.indexOf(language)}`

  it.runIf(isFullRun)(
    'answers almost every question of the form, from a new application to /confirm (WCAG 2.1.1, 2.4.7, 2.4.11)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome(language, { serviceWorkers: 'block' })
      await applicant.signInByPhone(phone)
      await applicant.startApplication()
      const keys = createKeyboard(page)
      // Tab reaches "I don't know" after the date. Checking it would clear the date that was just typed.
      const known = { dateOfBirthUnknown: false, dayOfBirth: '27', monthOfBirth: '03' }
      const { travelDestination, ...rest } = { ...almostEveryQuestion, ...known }

      await expect.poll(() => page.evaluate(nameOfFocus), longTimeout).toBe('heading')
      await keys.answerFormTab({ ...rest, travelDestination: 'Frnce' }, 'reasonForTravel')
      await page.keyboard.press('Shift+Tab')
      expect(await page.evaluate(nameOfFocus)).toBe('travelDestination')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(travelDestination)
      await keys.pressButton(applicant.t('button.continue'))
      for (const [heading, button] of [
        ['tab.PersonData', 'button.continue'],
        ['tab.ParentData', 'button.continue'],
        ['tab.NicData', 'button.submit'],
      ] as const) {
        await applicant.heading(heading)
        await expect.poll(() => page.evaluate(nameOfFocus), longTimeout).toBe('heading')
        await keys.answerFormTab(rest)
        await keys.pressButton(applicant.t(button))
      }
      await applicant.heading('confirm.heading')
      for (const value of [
        'France',
        'Marseille',
        'Griot',
        'Bafoussam',
        '109876543',
        '29.02.2016',
        '11.12.1984',
      ])
        await page.getByText(value, { exact: true }).first().waitFor()
      await context.close()
    },
  )
})

// In the daily run appointment.test.ts uses the same keys.
describe.each(isFullRun ? languages : [])(
  'the keyboard only, in the rest of the journey, in %s',
  language => {
    const phone = (last: number) => `6710003${languages.indexOf(language) + 5}${last}`

    it('signs in by phone and starts an application (WCAG 2.1.1, 2.4.7, 2.4.11)', async () => {
      const { page, context } = await fixture.open()
      const { t, heading } = createApplicant(page, fixture.portal(), language)
      const keys = createKeyboard(page)
      await page.goto('/')
      // Before hydration the prerendered page only records a press on a language.
      await page.waitForFunction(() => performance.getEntriesByName('portal-alive').length > 0)
      await keys.press(language.toUpperCase())
      await heading('welcome.heading')
      await keys.press(t('welcome.phone'))
      await heading('mobile.heading')
      await keys.tabTo({ name: 'phoneNumber' })
      await page.keyboard.type(phone(1))
      await keys.press(t('button.continue'))
      await heading('password.heading')
      await keys.tabTo({ name: 'otp' })
      await page.keyboard.type(await fixture.portal().codeFor(`237${phone(1)}`))
      await keys.press(t('button.continue'))
      await heading('procedure.heading')
      await keys.press(buttonName(t, 'procedure.new'))
      await heading('tab.GeneralData')
      await context.close()
    })

    it('keeps the focus in view when the list of applications arrives (WCAG 2.4.11)', async () => {
      const { page, context, applicant } = await fixture.openWelcome(language, { serviceWorkers: 'block' })
      await applicant.signInByPhone(phone(8))
      let send: (() => void) | undefined
      const sent = new Promise<void>(resolve => {
        send = resolve
      })
      await page.route('**/api/v1/applications?*', async route => {
        await sent
        await route.continue()
      })
      await page.reload()
      await applicant.heading('procedure.heading')
      const keys = createKeyboard(page)
      await applicant.button('handOver.button').focus()
      await keys.expectSeen()
      send?.()
      await applicant.button('procedure.new').waitFor()
      await keys.expectSeen()
      await context.close()
    })

    it('goes from a refused Continue to the field and corrects it (FRM10, WCAG 2.1.1, 2.4.7, 2.4.11)', async () => {
      const { page, context, applicant } = await fixture.openWelcome(language)
      const { t, heading, named } = applicant
      const keys = createKeyboard(page)
      await applicant.signInByPhone(phone(2))
      await applicant.startApplication()
      await page.goto(page.url().replace('GeneralData', 'PersonData'))
      await heading('tab.PersonData')
      await named('regionCode').waitFor()
      await keys.press(t('button.continue'))
      await expect.poll(() => page.evaluate(nameOfFocus), longTimeout).toBe('alert')
      await keys.press(t('field.regionCode'), { isBeginning: true })
      await expect.poll(() => page.evaluate(nameOfFocus), longTimeout).toBe('regionCode')
      await keys.expectSeen()
      await keys.choose('CENTRE')
      await keys.press(t('button.continue'))
      await expect.poll(() => page.evaluate(nameOfFocus), longTimeout).toBe('alert')
      const summary = page.getByRole('main').getByRole('alert')
      expect(await summary.getByRole('link', { name: t('field.regionCode') }).count()).toBe(0)
      await keys.press(t('field.surname'), { isBeginning: true })
      await expect.poll(() => page.evaluate(nameOfFocus), longTimeout).toBe('surname')
      await keys.expectSeen()
      await context.close()
    })

    it('pays by demonstration (WCAG 2.1.1, 2.4.7, 2.4.11)', async () => {
      const { page, context, applicant } = await fixture.openWelcome(language)
      const { t, heading } = applicant
      const keys = createKeyboard(page)
      await applicant.signInByPhone(phone(3))
      await createConfirmedApplication(page)
      await page.goto('/procedure')
      await page.getByRole('link', { name: t('procedure.open.payment') }).waitFor()
      await keys.press(t('procedure.open.payment'))
      await heading('payment.heading')
      await page.getByRole('radio').first().waitFor()
      await keys.tabTo({ name: 'type' })
      await keys.chooseRadio('MOCK')
      await keys.press(t('button.pay'))
      await heading('payResult.heading')
      await page.getByText(t('status.SUCCESS')).first().waitFor()
      await keys.press(t('button.continueToAppointment'))
      await heading('appointment.heading')
      await context.close()
    })

    it('books by the calendar, finalizes, and downloads the receipt (APT22, FIN03, D115, WCAG 2.1.1, 2.4.7, 2.4.11)', async () => {
      const { page, context, applicant } = await fixture.openWelcome(language)
      const { t, heading, named } = applicant
      const keys = createKeyboard(page)
      await openPaidApplication(applicant, phone(4))
      await page.getByRole('link', { name: t('procedure.open.appointment') }).waitFor()
      await keys.press(t('procedure.open.appointment'))
      await heading('appointment.heading')
      // The page selects the country of residence a moment later: during the arrow keys this would be one more step.
      await expect.poll(() => named('country').inputValue(), longTimeout).not.toBe('')
      await keys.tabTo({ name: 'country' })
      await keys.choose('10998')
      await keys.tabTo({ name: 'city' })
      await keys.choose('1')
      await keys.tabTo({ name: 'officeId' })
      await keys.choose('1')
      await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')
      const first = await named('date').inputValue()
      await keys.tabTo({ role: 'grid' })
      await page.keyboard.press('ArrowRight')
      await keys.expectSeen()
      await page.keyboard.press('Enter')
      await expect.poll(() => named('date').inputValue(), longTimeout).not.toBe(first)
      await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')
      await keys.press(t('button.confirm'))
      await heading('schedule.heading')
      // Before the button is there, Tab would reach the footer.
      await applicant.button('button.finalize').waitFor()
      const atOnce = page.waitForEvent('download')
      await keys.press(t('button.finalize'))
      await heading('final.heading')
      await atOnce
      await applicant.button('button.downloadPdf').waitFor()
      const again = page.waitForEvent('download')
      await keys.press(t('button.downloadPdf'))
      expect((await again).suggestedFilename()).toMatch(/\.pdf$/)
      await context.close()
    })
  },
)

/** Runs in the page: the name, id or role of the focused element. */
function nameOfFocus(): string {
  const focused = document.activeElement
  return focused?.getAttribute('name') || focused?.id || focused?.getAttribute('role') || ''
}
