import { describe, expect, it } from 'vitest'
import { firstPassport } from '#support/applicants.ts'
import { createApplicant } from '#support/applicant.ts'
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
      if (response.url().endsWith('/applications') && response.request().method() === 'POST') reached += 1
    })
    await applicant.startApplication()
    await page.getByText(applicant.t('form.noNumber')).waitFor()
    await applicant.fillGeneral(firstPassport)
    await applicant.goOn('tab.PersonData')
    await applicant.fillPerson(firstPassport)
    await applicant.goOn('tab.ParentData')
    await applicant.fillParents(firstPassport)
    await applicant.goOn('tab.NicData')
    await applicant.fillDocuments(firstPassport)
    await applicant.button('button.submit').click()
    await page.getByText(applicant.t('form.submitWaits')).waitFor()
    await context.setOffline(true)
    await context.unroute(writes)
    await context.setOffline(false)
    await page.getByRole('link', { name: applicant.t('form.goToConfirm') }).click()
    await applicant.heading('confirm.heading')
    expect(reached).toBe(1)
    await applicant.confirmData()
  })

  it('D32 F3 goes on in a second tab, which the first shows, and back', async () => {
    const { applicant: first, context } = await walk.meet('en')
    await first.signInByEmail('two@tabs.example')
    await first.startApplication()
    await first.named('travelDestination').fill('France')
    const page = await context.newPage()
    await page.goto(first.page.url())
    const second = createApplicant(page, walk.portal(), 'en')
    await second.heading('tab.GeneralData')
    await first.button('form.takeBack').waitFor()
    expect(await first.named('travelDestination').isDisabled()).toBe(true)
    expect(await second.named('travelDestination').inputValue()).toBe('France')
    await second.named('reasonForTravel').fill('Études')
    await first.button('form.takeBack').click()
    await second.button('form.takeBack').waitFor()
    await expect.poll(() => first.named('reasonForTravel').inputValue()).toBe('Études')
    expect(await first.named('reasonForTravel').isDisabled()).toBe(false)
    expect(await second.named('reasonForTravel').isDisabled()).toBe(true)
  })
})
