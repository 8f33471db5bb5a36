import { expect } from 'vitest'
import type { Download } from 'playwright-core'
import type { ApplicantControls } from './applicant-controls.ts'

type PauseOptions = { before?: () => Promise<void> }

/** The steps from the confirmation of the data to the receipt. */
export function createBookingSteps({ page, t, main, button, named, heading }: ApplicantControls) {
  async function goToAppointment() {
    await main
      .getByRole('link', { name: t('button.continueToAppointment') })
      .or(button('button.continueToAppointment'))
      .click()
    await heading('appointment.heading')
  }

  async function choosePlace() {
    await named('country').selectOption('10998')
    await named('city').selectOption({ label: 'Yaoundé' })
    await named('officeId').selectOption({ index: 1 })
    await expect.poll(() => named('time').inputValue()).not.toBe('')
    await named('date').selectOption({ index: 6 })
    await expect.poll(() => named('time').inputValue()).not.toBe('')
  }

  return {
    choosePlace,
    async confirmData() {
      await button('button.confirm').click()
      await heading('payment.heading')
    },
    /** `before` runs while the result is on the screen. */
    async payByDemonstration({ before = async () => {} }: PauseOptions = {}) {
      await main.getByRole('radio', { name: t('method.MOCK') }).check()
      await button('button.pay').click()
      await heading('payResult.heading')
      await main.getByText(t('status.SUCCESS')).first().waitFor()
      await before()
      await goToAppointment()
    },
    /** From the result of a payment to the choice of a place. */
    goToAppointment,
    /**
     * Reserves a place on a date that is so far ahead, whatever weekday it is today, that the applicant can change it
     * later. `before` runs while the chosen place is on the screen.
     */
    async bookPlace({ before = async () => {} }: PauseOptions = {}) {
      await choosePlace()
      await before()
      await button('button.confirm').click()
      await heading('schedule.heading')
    },
    /** Finalize downloads the receipt by itself, except on a kiosk (APT22): there this function fails. */
    async finalize(): Promise<Download> {
      const receipt = page.waitForEvent('download')
      await button('button.finalize').click()
      await heading('final.heading')
      return receipt
    },
    async downloadReceipt(): Promise<Download> {
      const receipt = page.waitForEvent('download')
      await button('button.downloadPdf').click()
      return receipt
    },
  }
}
