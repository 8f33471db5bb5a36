import { describe, expect, it } from 'vitest'
import { firstPassport } from '#support/applicants.ts'
import { walkThePortal } from '#support/walk.ts'

const walk = walkThePortal({ CAPTCHA: 'off', OTP_TTL_SECONDS: '300' })

describe('one applicant, two phones', () => {
  it('D32 S93 chooses between two answers that both phones changed, and loses neither unseen', async () => {
    const one = (await walk.meet('en')).applicant
    await one.signInByEmail('two@phones.example')
    await one.startApplication()
    await one.named('travelDestination').fill('France')
    await one.page.getByText(one.t('form.onServer'), { exact: false }).waitFor()

    const other = (await walk.meet('en')).applicant
    await other.signInByEmail('two@phones.example')
    await other.page.getByRole('link', { name: other.t('procedure.open.form') }).click()
    await other.heading('tab.GeneralData')
    expect(await other.named('travelDestination').inputValue()).toBe('France')

    await one.page.context().setOffline(true)
    await one.named('travelDestination').fill('Gabon')
    await one.named('reasonForTravel').blur()
    await other.named('travelDestination').fill('Tchad')
    await other.named('reasonForTravel').fill('Études')
    await other.page.getByText(other.t('form.onServer'), { exact: false }).waitFor()
    await one.page.waitForTimeout(3_000)
    await one.page.context().setOffline(false)

    await one.page.getByRole('heading', { name: one.t('choice.heading') }).waitFor()
    const options = one.page.getByRole('group', { name: one.t('field.travelDestination') })
    await options.getByLabel('Gabon').waitFor()
    await options.getByLabel('Tchad').check()
    await one.button('choice.done').click()
    await expect.poll(() => one.named('travelDestination').inputValue()).toBe('Tchad')
    await expect.poll(() => one.named('reasonForTravel').inputValue()).toBe('Études')
    await one.page.getByText(one.t('form.onServer'), { exact: false }).waitFor()
  })

  it('D33 OFF07 starts, fills and submits without the line; it is on the server once when the line is back', async () => {
    const { applicant, page, context } = await walk.meet('fr')
    await applicant.signInByPhone('671234567')
    const writes = '**/api/v1/applications{,/*/data}'
    let reached = 0
    await context.route(writes, route =>
      route.request().method() === 'POST' ? route.abort('connectionfailed') : route.continue(),
    )
    page.on('response', response => {
      if (/applications$/.test(response.url()) && response.request().method() === 'POST') reached += 1
    })
    await applicant.startApplication()
    await page.getByText(applicant.t('form.noNumber')).waitFor()
    await applicant.fillForm(firstPassport)
    await page.getByText(applicant.t('form.submitWaits')).waitFor()
    await context.unroute(writes)
    await page.getByRole('link', { name: applicant.t('form.goToConfirm') }).click()
    await applicant.heading('confirm.heading')
    expect(reached).toBe(1)
    await applicant.confirmData()
    await applicant.heading('payment.heading')
  })
})
