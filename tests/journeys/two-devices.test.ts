import { describe, expect, it } from 'vitest'
import { firstPassport } from '#support/data/applicants.ts'
import { countApplications } from '#support/browsers/application-by-calls.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { type Answered, threeConflicts } from '../sync/interleavings.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture({ CAPTCHA: 'off', OTP_TTL_SECONDS: '300' })

describe('one applicant on two phones, offline and in two tabs', () => {
  it.runIf(isFullRun)(
    'never overwrites an answer silently, in generated interleavings with their conflicts (D32 S93)',
    async () => {
      expect(threeConflicts).toHaveLength(3)
      const one = (await fixture.openWelcome('en')).applicant
      await one.signInByEmail('two@phones.example')
      await one.startApplication()
      const address = one.page.url().replace('GeneralData', 'PersonData')
      const other = (await fixture.openWelcome('en')).applicant
      await other.signInByEmail('two@phones.example')
      for (const { page, named } of [one, other]) {
        await page.goto(address)
        await named('surname').waitFor()
      }
      for (const { seed, mine, theirs, isSavedBefore, conflicting, picks } of threeConflicts) {
        await one.page.context().setOffline(true)
        if (isSavedBefore) await type(one, mine)
        const sent = whenSent(other, theirs)
        await type(other, theirs)
        await sent
        if (!isSavedBefore) await type(one, mine)
        await one.page.context().setOffline(false)

        await one.page.getByRole('heading', { name: one.t('choice.heading') }).waitFor()
        const expected = { ...theirs, ...mine }
        for (const [at, name] of conflicting.entries()) {
          const picked = (picks[at] === 'mine' ? mine : theirs)[name] ?? ''
          const options = one.page.getByRole('group', { name: one.t(`field.${name}`) })
          expect(await options.getByRole('radio').count(), `seed ${seed}`).toBe(2)
          await options.getByLabel(picked).check()
          expected[name] = picked
        }
        await one.button('choice.done').click()
        await expectAnswers(one, expected)
        await one.page.getByText(one.t('form.onServer'), { exact: false }).waitFor()
        await other.page.reload()
        await expectAnswers(other, expected)
      }
      for (const phone of [one, other]) await phone.page.context().close()
    },
  )

  it('asks which answer counts when the response to a save was lost and the other phone has saved since then (D13 D32)', async () => {
    const { applicant: one, page } = await fixture.openWelcome('fr')
    await one.signInByEmail('lost@phones.example')
    await one.startApplication()
    const address = page.url().replace('GeneralData', 'PersonData')
    await page.goto(address)
    const { applicant: other } = await fixture.openWelcome('fr')
    await other.signInByEmail('lost@phones.example')
    const first = { surname: 'DuPremier' }
    const second = { surname: 'DuSecond' }
    const network = { restore: () => {} }
    const restored = new Promise<void>(resolve => (network.restore = resolve))
    let stored: number | undefined
    await page.route('**/api/v1/applications/*/data', async route => {
      if (!route.request().postData()?.includes(first.surname)) return route.continue()
      if (stored !== undefined) return restored.then(() => route.continue())
      stored = (await route.fetch()).status()
      return route.abort('connectionreset')
    })
    await type(one, first)
    await expect.poll(() => stored).toBe(200)
    await other.page.goto(address)
    await expectAnswers(other, first)
    const sent = whenSent(other, second)
    await type(other, second)
    await sent

    const onServer = page.getByText(one.t('form.onServer'), { exact: false })
    expect(await onServer.count()).toBe(0)
    network.restore()
    await page
      .getByRole('heading', { name: one.t('choice.heading') })
      .or(onServer)
      .first()
      .waitFor()
    expect(await onServer.count()).toBe(0)
    const options = page.getByRole('group', { name: one.t('field.surname') })
    await options.getByLabel(second.surname).check()
    await one.button('choice.done').click()
    await onServer.first().waitFor()
    await expectAnswers(one, second)
    for (const phone of [one, other]) await phone.page.context().close()
  })

  it.runIf(isFullRun)(
    'starts, fills in and submits while no write gets through; the application is on the server once afterwards (D33 OFF07)',
    async () => {
      const { applicant, page, context } = await fixture.openWelcome('fr')
      await applicant.signInByPhone('671234567')
      const writes = '**/api/v1/applications{,/*/data}'
      await context.route(writes, route =>
        route.request().method() === 'POST' ? route.abort('connectionfailed') : route.continue(),
      )
      await applicant.startApplication()
      await page.getByText(applicant.t('form.noNumber')).waitFor()
      await applicant.fillTabs(firstPassport)
      await applicant.button('button.submit').click()
      await page.getByText(applicant.t('form.submitWaits')).waitFor()
      // Until the press has ended, the form itself may open the confirmation.
      await page.locator('button:not([aria-disabled])', { hasText: applicant.t('button.submit') }).waitFor()
      await context.setOffline(true)
      await context.unroute(writes)
      await context.setOffline(false)
      await page.getByRole('link', { name: applicant.t('form.goToConfirm') }).click()
      await applicant.heading('confirm.heading')
      expect(await countApplications(page)).toBe(1)
      await applicant.confirmData()
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'continues in a second tab, which disables the form in the first, and then in the first again (D32 F3)',
    async () => {
      const { applicant: first, context } = await fixture.openWelcome('en')
      await first.signInByEmail('two@tabs.example')
      await first.startApplication()
      await first.named('travelDestination').fill('France')
      const page = await context.newPage()
      await page.goto(first.page.url())
      const second = createApplicant(page, fixture.portal(), 'en')
      await second.heading('tab.GeneralData')
      await first.button('form.takeBack').waitFor()
      expect(await first.named('travelDestination').isDisabled()).toBe(true)
      expect(await second.named('travelDestination').inputValue()).toBe('France')
      await second.named('reasonForTravel').fill('Études')
      await first.button('form.takeBack').click()
      // The pressed button is gone.
      await expect.poll(() => first.page.evaluate(() => document.activeElement?.id)).toBe('heading')
      await second.button('form.takeBack').waitFor()
      await expect.poll(() => first.named('reasonForTravel').inputValue()).toBe('Études')
      expect(await first.named('reasonForTravel').isDisabled()).toBe(false)
      expect(await second.named('reasonForTravel').isDisabled()).toBe(true)
      await context.close()
    },
  )
})

async function type({ named }: Applicant, answers: Answered) {
  for (const [name, text] of Object.entries(answers)) {
    await named(name).fill(text)
    await named(name).blur()
  }
}

async function expectAnswers({ named }: Applicant, answers: Answered) {
  for (const [name, text] of Object.entries(answers))
    await expect.poll(() => named(name).inputValue()).toBe(text)
}

/** Waits for the response to the write that contains all these answers. */
async function whenSent({ page }: Applicant, answers: Answered) {
  await page.waitForResponse(async response => {
    const body = response.request().postData() ?? ''
    return response.ok() && Object.values(answers).every(text => body.includes(JSON.stringify(text)))
  })
}
