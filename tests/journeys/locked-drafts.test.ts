import { describe, expect, it } from 'vitest'
import type { Applicant } from '#support/browsers/applicant.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { addressOfNewForm } from '#support/browsers/collect-ids.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { stopClock } from '#support/browsers/stop-clock.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
const owner = '677 15 15 15'
const stranger = '677 16 16 16'
const hanging = '677 17 17 17'
const typed = 'Tamanrassetou'

describe('unsent answers on a shared device (D31)', () => {
  it.runIf(isFullRun)(
    'are deleted by a log-out only after a question, also while the version call hangs',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('fr')
      const { t, named } = applicant
      await page.goto('/?shared=1')
      await signInShared(applicant, hanging)
      await applicant.startApplication()
      await named('travelDestination').fill('Bangui')
      await page.getByText(t('form.onServer')).waitFor()
      await page.route('**/api/v1/version', () => undefined)
      await page.route('**/api/v1/applications/**', route => route.abort())
      // This page has not heard from the server what it offers.
      await page.reload()
      await applicant.heading('tab.GeneralData')
      await named('travelDestination').fill(typed)
      await page.getByText(t('form.kept')).waitFor()
      await applicant.button('button.cancel').click()
      await applicant.heading('procedure.heading')
      await page.getByRole('button', { name: t('button.logOut') }).click()
      await page.getByRole('heading', { name: t('leaving.loseHeading') }).waitFor()
      await context.close()
    },
  )

  it('stay locked after inactivity without a connection, and are sent after the same applicant’s next sign-in', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await page.goto('/?shared=1')
    // The service worker opens the welcome page without a connection.
    await waitForWorker(page)
    await page.clock.install()
    await signInShared(applicant, owner)
    const created = addressOfNewForm(page)
    await applicant.startApplication()
    const number = (await created).split('/')[3] ?? ''
    await applicant.named('travelDestination').fill('Bangui')
    await page.getByText(applicant.t('form.onServer')).waitFor()

    await context.setOffline(true)
    await applicant.named('travelDestination').fill(typed)
    // After two seconds the page says that the answers wait for a connection.
    const { t } = applicant
    await page
      .getByText(t('form.kept'))
      .or(page.getByText(t('form.waiting')))
      .first()
      .waitFor()
    await timeOut(applicant)
    await page.getByText(applicant.t('notice.loggedOutLocked')).first().waitFor()
    const left = await readPageStores(page)
    // The draft and its earlier answers, all encrypted.
    const keptTables = ['drafts', 'revisions']
    expect([left.tables, left.keys, left.text.includes(typed)]).toEqual([keptTables, 0, false])

    // The session ends at the server, which must not make the browser delete the row; nor may another applicant's log-out.
    const ended = page.waitForResponse(answer => answer.url().endsWith('/logout'))
    await context.setOffline(false)
    expect((await ended).headers()['clear-site-data']).toBeUndefined()
    await signInShared(applicant, stranger)
    expect(await page.getByText(number).count()).toBe(0)
    const reopened = page.waitForEvent('load')
    await page.getByRole('button', { name: applicant.t('button.logOut') }).click()
    await reopened
    await applicant.heading('welcome.heading')
    const after = await readPageStores(page)
    expect(after.tables, after.text).toEqual(keptTables)
    expect(after.rows).toBe(left.rows)

    await signInShared(applicant, owner)
    await page.getByRole('link', { name: new RegExp(number) }).click()
    await applicant.heading('tab.GeneralData')
    await expect.poll(() => applicant.named('travelDestination').inputValue()).toBe(typed)
    await page.getByText(applicant.t('form.onServer')).waitFor()
    await context.close()
  })
})

async function signInShared({ page, named, button, heading, t }: Applicant, phone: string) {
  await page.goto('/mobile')
  await expect.poll(() => page.getByLabel(t('signIn.shared')).isChecked()).toBe(true)
  await named('phoneNumber').fill(phone)
  await button('button.continue').click()
  await heading('password.heading')
  const code = await fixture.portal().codeFor(`237${phone.replaceAll(' ', '')}`)
  await page.getByRole('main').getByLabel(t('password.code')).fill(code)
  await button('button.continue').click()
  await heading('procedure.heading')
}

/** Lets the inactivity time pass. The warning says what happens to unsent answers. */
async function timeOut({ page, t, heading }: Applicant) {
  await stopClock(page)
  await page.clock.fastForward(545_000)
  const warning = page.getByRole('alertdialog', { name: t('idle.heading') })
  await warning.getByText(t('idle.locked')).waitFor()
  // A shared device opens the welcome page again after it was cleared.
  const reopened = page.waitForEvent('load')
  await page.clock.fastForward(61_000)
  // The log-out waits for the storage with timeouts, so the clock must not jump.
  await page.clock.resume()
  await reopened
  await heading('welcome.heading')
}
