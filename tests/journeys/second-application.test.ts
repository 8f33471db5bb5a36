import { expect, it } from 'vitest'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { findLayoutFaultsOnPage } from '#support/checks/layout-faults.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { toWire } from '#contract/application.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()

it.each(testedLanguages)(
  'deletes a draft after ten seconds, and disables its form in another tab, in %s (LST11, LST12, LST13)',
  async language => {
    const { page, context, applicant } = await fixture.openSignedIn(language, `erreur.${language}@example.cm`)
    const { t } = applicant
    const buttonOf = (key: 'procedure.delete' | 'procedure.undo') =>
      page.getByRole('button', { name: new RegExp(`^${t(key)}`) })
    await page.clock.install()
    expect([await findAxeFaults(page), await findLayoutFaultsOnPage(page)]).toEqual([[], []])
    await page.getByRole('button', { name: t('for.child') }).click()
    await applicant.heading('tab.GeneralData')
    const formPage = await context.newPage()
    await formPage.goto(page.url())
    await formPage.locator('[name="travelDestination"]').fill('Paris')
    await page.goto('/procedure')

    await buttonOf('procedure.delete').click()
    await page.waitForFunction(
      words => document.activeElement?.textContent?.startsWith(words),
      t('procedure.undo'),
    )
    expect([await findAxeFaults(page), await findLayoutFaultsOnPage(page)]).toEqual([[], []])
    await buttonOf('procedure.undo').click()
    // The mouse would be on Undo again, and the ten seconds would not run.
    await page.mouse.move(0, 0)
    await buttonOf('procedure.delete').focus()
    await page.keyboard.press('Enter')
    await buttonOf('procedure.undo').waitFor()
    // After a press with the keyboard the ten seconds do not run while Undo has the focus.
    await page.clock.fastForward(60_000)
    expect(await buttonOf('procedure.undo').count()).toBe(1)

    const deleted = page.waitForResponse(/\/applications\/[^/]+\/delete$/)
    await page.keyboard.press('Tab')
    await page.clock.fastForward(10_000)
    expect((await deleted).status()).toBe(200)
    await page.getByText(t('state.DELETED'), { exact: true }).waitFor()
    await formPage.getByRole('heading', { name: t('form.deleted') }).waitFor()
    expect(await formPage.locator('[name="travelDestination"]').isDisabled()).toBe(true)
    expect([await findAxeFaults(formPage), await findLayoutFaultsOnPage(formPage)]).toEqual([[], []])
    await page.getByRole('button', { name: t('procedure.new') }).waitFor()
    await context.close()
  },
)

it.runIf(isFullRun).each(testedLanguages)(
  'takes over the address of an earlier application, and undoes that, in %s (FRM20, LST14)',
  async language => {
    const { page, context, applicant } = await fixture.openSignedIn(language, `second.${language}@example.cm`)
    const { t } = applicant
    await page.getByRole('button', { name: t('for.other') }).click()
    await applicant.heading('tab.GeneralData')
    const [, , id = '', number = ''] = new URL(page.url()).pathname.split('/')
    await page.route(/\/api\/v1\/applications\?/, route =>
      answerAsServer(route, {
        json: {
          data: [
            { id, applicationNumber: number, currentState: 'NEW' },
            { id: 'earlier', applicationNumber: 'PP-1', currentState: 'SENT_TO_CM' },
          ],
        },
      }),
    )
    await page.route(/\/applications\/earlier\/data/, route =>
      answerAsServer(route, { json: { data: toWire(firstPassport) } }),
    )
    await page.goto(page.url().replace('GeneralData', 'PersonData'))
    await page.getByText(t('forHint.other')).waitFor()
    const takeOverButton = page.getByRole('button', { name: /PP-1/ })
    await takeOverButton.waitFor()
    expect([await findAxeFaults(page), await findLayoutFaultsOnPage(page)]).toEqual([[], []])
    await takeOverButton.click()
    const street = page.locator('[name="resAddressStreet"]')
    expect(await street.inputValue()).toBe(firstPassport.resAddressStreet)
    expect([await findAxeFaults(page), await findLayoutFaultsOnPage(page)]).toEqual([[], []])
    await page.getByRole('button', { name: t('takeOver.undo') }).click()
    expect(await street.inputValue()).toBe('')
    await context.close()
  },
)
