import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { textsOf } from '#support/data/texts.ts'

const fixture = joinBrowserFixture()

describe('a button that waits for the network (D68)', () => {
  it('says at the press that it is busy while the JavaScript of the page still loads', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr', { serviceWorkers: 'block' })
    const release = await pauseRequests(page, /\/assets\/wire-/)
    await page.goto('/mobile')
    await applicant.named('phoneNumber').fill('671930001')
    await applicant.button('button.continue').click()
    await applicant.button('button.busy').waitFor()
    release()
    await applicant.heading('password.heading')
    await context.close()
  })

  it('stays busy after the answer while the list of applications is read again', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr', { serviceWorkers: 'block' })
    await applicant.signInByPhone('671930002')
    const tile = page.getByRole('button', { name: applicant.t('procedure.new') })
    // The first read of the list has ended: it must not be the one that is paused.
    await tile.waitFor()
    const created = page.waitForResponse(
      response => response.request().method() === 'POST' && /\/applications(\?|$)/.test(response.url()),
    )
    const list = /\/api\/v1\/applications\?/
    const release = await pauseRequests(page, list)
    const readAgain = page.waitForRequest(list)
    await tile.click()
    await created
    await readAgain
    expect(await tile.getAttribute('aria-disabled')).toBe('true')
    release()
    await applicant.heading('tab.GeneralData')
    await context.close()
  })
})

describe('the language switch (D68, NAV21)', () => {
  it('says, and shows by a ring, from the press to the end that the other language loads', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr', { serviceWorkers: 'block' })
    const english = page.getByRole('button', { name: /^EN/ })
    const loading = page.getByRole('button', { name: `EN ${applicant.t('app.loading')}` })
    const release = await pauseRequests(page, /\/assets\/en-/)
    await english.click()
    await loading.waitFor()
    await english.locator('[aria-hidden=true]').waitFor()
    release()
    await page.getByRole('heading', { level: 1, name: textsOf('en')('welcome.heading') }).waitFor()
    expect(await loading.count()).toBe(0)
    await context.close()
  })
})

/** Pauses every GET request to this address until the returned function is called. */
async function pauseRequests(page: Page, address: RegExp): Promise<() => void> {
  let release = doNothing
  const released = new Promise<void>(resolve => (release = resolve))
  await page.route(address, async route => {
    if (route.request().method() === 'GET') await released
    await route.continue()
  })
  return release
}
