import { expect, it } from 'vitest'
import { createApplicant } from '#support/browsers/applicant.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import { findLayoutFaultsOnPage } from '#support/checks/layout-faults.ts'

const fixture = joinBrowserFixture()

it('starts the deletion of the account on /account after a code, erases its data on both devices, and keeps the account when the applicant asks for that (NAV33)', async () => {
  const phone = '671000081'
  const phoneScreen = { width: 360, height: 640 }
  const other = await fixture.openSignedIn('fr', phone, phoneScreen)
  await other.applicant.startApplication()
  await expect.poll(async () => (await readPageStores(other.page)).tables).toContain('seen')
  // An open page of the other device could learn of the deletion by itself while the test leaves that page.
  await other.page.close()
  const { page, context, applicant } = await fixture.openSignedIn('fr', phone, phoneScreen)
  const { t } = applicant
  await page.getByRole('link', { name: t('account.link') }).click()
  await page.getByRole('button', { name: t('account.deleteButton') }).click()
  for (const fact of ['deletePaid', 'deleteAppointment', 'deleteOffice'] as const)
    await page.getByText(t(`account.${fact}`, { days: 7 })).waitFor()
  expect(await findLayoutFaultsOnPage(page)).toEqual([])
  await page.getByRole('button', { name: t('button.continue'), exact: true }).click()
  await page.getByLabel(t('password.code')).fill(await fixture.portal().codeFor(`237${phone}`))
  // The last button says “Delete my account”, because its press erases the answers on this device at once.
  await page.getByRole('button', { name: t('account.delete'), exact: true }).click()
  await applicant.heading('welcome.heading')
  await page
    .getByText(/Votre compte sera supprimé le/)
    .first()
    .waitFor()
  const leftTables = async (on: typeof page) =>
    (await readPageStores(on)).tables.filter(table =>
      ['drafts', 'moves', 'keys', 'seen', 'revisions'].includes(table),
    )
  expect(await leftTables(page)).toEqual([])

  // The other device learns of the deletion at its next call.
  const next = await other.context.newPage()
  await next.goto('/procedure')
  await createApplicant(next, fixture.portal(), 'fr').heading('welcome.heading')
  await expect.poll(() => leftTables(next)).toEqual([])

  await applicant.signInByPhone(phone)
  await page.getByRole('button', { name: t('account.keep') }).click()
  await page.getByText(t('notice.accountKept')).first().waitFor()
  await expect.poll(() => page.getByRole('button', { name: t('account.keep') }).count()).toBe(0)
  await context.close()
  await other.context.close()
})
