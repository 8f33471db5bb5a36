import { describe, expect, it } from 'vitest'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()

describe('the calendar beside a date', () => {
  it('has a button that a finger can hit, in the line of the year on a phone (PER06, D134)', async () => {
    const { page, context, applicant } = await fixture.openSignedIn('fr', '671310004', { width: 360 })
    await applicant.startApplication()
    await page.goto(page.url().replace('GeneralData', 'PersonData'))
    await applicant.heading('tab.PersonData')
    const calendar = page.locator('#dateOfBirth').getByRole('button', { name: applicant.t('date.calendar') })
    const [box, year] = [await calendar.boundingBox(), await applicant.named('yearOfBirth').boundingBox()]
    expect(box?.width).toBeGreaterThanOrEqual(44)
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect(box?.y).toBeCloseTo(year?.y ?? 0, 0)
    await context.close()
  })

  it.runIf(isFullRun)(
    'opens the date picker with the date of the three parts, and sets the three parts (PER06)',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn('fr', '671310001')
      const { t, named } = applicant
      await page.addInitScript(() => {
        // The picker is a window of the platform, which a headless browser does not have.
        // oxlint-disable-next-line unicorn/consistent-function-scoping -- this code runs in the page
        HTMLInputElement.prototype.showPicker = function showPicker() {
          document.documentElement.dataset['opened'] = `${this.min} ${this.value} ${this.max}`
        }
      })
      await applicant.startApplication()
      await page.goto(page.url().replace('GeneralData', 'PersonData'))
      await applicant.heading('tab.PersonData')
      const birth = page.locator('#dateOfBirth')
      await named('dayOfBirth').fill('5')
      await named('monthOfBirth').selectOption('02')
      await named('yearOfBirth').fill('1990')
      await birth.getByRole('button', { name: t('date.calendar') }).click()
      const opened = await page.evaluate(() => document.documentElement.dataset['opened'])
      expect(opened).toMatch(/^1900-01-01 1990-02-05 \d{4}-\d{2}-\d{2}$/)
      await birth.locator('input[type=date]').fill('1988-12-31')
      expect(await named('dayOfBirth').inputValue()).toBe('31')
      expect(await named('monthOfBirth').inputValue()).toBe('12')
      expect(await named('yearOfBirth').inputValue()).toBe('1988')
      await page.getByText(t('form.onServer').slice(0, 12)).first().waitFor()
      await page.reload()
      await expect.poll(() => named('yearOfBirth').inputValue()).toBe('1988')
      expect(await findAxeFaults(page)).toEqual([])
      await named('dateOfBirthUnknown').check()
      expect(await birth.getByRole('button', { name: t('date.calendar') }).count()).toBe(0)
      await context.close()
    },
  )
})
