import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = joinBrowserFixture()
const email = 'contraste@exemple.cm'

describe('the main button in forced colours', () => {
  it('has the colours of a selection, also under the pointer, and the other button has not (D134)', async () => {
    const { page, applicant, context } = await fixture.openWelcome('fr')
    await page.emulateMedia({ forcedColors: 'active' })
    await page.getByRole('link', { name: applicant.t('welcome.phone') }).click()
    await applicant.heading('mobile.heading')
    const next = applicant.button('button.continue')
    const selected = await page.evaluate(readSelectionColours)
    await expect.poll(() => coloursOf(next)).toEqual(selected)
    expect(await coloursOf(applicant.button('button.back'))).not.toEqual(selected)
    await next.hover()
    await expect.poll(() => next.evaluate(each => each.matches(':hover'))).toBe(true)
    expect(await coloursOf(next)).toEqual(selected)
    await context.close()
  })

  it('has these colours as a link and as the last press of a deletion too (D134)', async () => {
    const { page, applicant, context } = await fixture.openSignedIn('fr', email)
    const { t, button } = applicant
    await page.emulateMedia({ forcedColors: 'active' })
    const selected = await page.evaluate(readSelectionColours)
    await page.getByRole('link', { name: t('account.link') }).click()
    await page.getByRole('button', { name: t('account.deleteButton') }).click()
    await button('button.continue').click()
    await page.getByLabel(t('password.code')).fill(await fixture.portal().codeFor(email))
    await expect.poll(() => coloursOf(button('account.delete'))).toEqual(selected)
    await page.goto('/')
    await expect
      .poll(() => coloursOf(page.getByRole('link', { name: t('welcome.toProcedure') })))
      .toEqual(selected)
    await context.close()
  })
})

/** Also whether the browser paints no plate behind the text: the plate can have the colour of the text and hide it. */
function coloursOf(control: Locator): Promise<string[]> {
  return control.evaluate(each => {
    const { backgroundColor, color, forcedColorAdjust } = getComputedStyle(each)
    return [backgroundColor, color, forcedColorAdjust]
  })
}

/** Runs in the page. The colours with which the system shows what is selected. */
function readSelectionColours(): string[] {
  const probe = document.body.appendChild(document.createElement('p'))
  probe.style.cssText = 'background: Highlight; color: HighlightText; forced-color-adjust: none'
  const { backgroundColor, color, forcedColorAdjust } = getComputedStyle(probe)
  const colours = [backgroundColor, color, forcedColorAdjust]
  probe.remove()
  return colours
}
