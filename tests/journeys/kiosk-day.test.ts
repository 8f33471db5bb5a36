import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { launchWithProfile } from '#support/browsers/chromium.ts'
import { failOnCspViolations } from '#support/browsers/csp-guard.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import { stopClock } from '#support/browsers/stop-clock.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { findTexts } from '#support/data/markers.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
const profile = mkdtempSync(join(tmpdir(), 'kiosk-'))
/** The office of the tablet; the first applicant of the day books here. */
const officeId = '3'
/** Longer than a kiosk waits for a touch. */
const idleMs = 11 * 60_000
const walkIn = '677 31 00 01'
const walkAway = '677 31 00 02'
const mailed = 'kiosque.jour@exemple.cm'
const cutOff = '677 31 00 04'
/** One answer of each applicant; none of these may be readable on the tablet in the evening. */
const typed = {
  walkIn: 'Wandjimoulé',
  walkAway: 'Zogbénonkwa',
  mailed: 'Yékpélawo',
  cutOff: 'Xoubédjiné',
}

afterAll(() => rmSync(profile, { recursive: true, force: true }))

describe.runIf(isFullRun)('the day of a kiosk tablet in an enrolment office (OFF12, D31, D38)', () => {
  it('serves one applicant after another, and in the evening no file contains any of the searched answers in readable form', async () => {
    const morning = await openTablet()
    const { page, applicant } = morning
    await page.goto(`/?kiosk=${officeId}`)
    await applicant.heading('welcome.heading')
    await page.clock.install()
    await completeJourney(applicant)
    const number = await walkAwayOffline(applicant)
    await writeByMail(applicant)
    await comeBack(applicant, number)
    await startAndLeaveOpen(applicant)
    await morning.context.close()

    const evening = await openTablet()
    await evening.page.goto('/procedure')
    await evening.applicant.heading('welcome.heading')
    const left = await readPageStores(evening.page)
    // The last applicant did not log out: the encrypted answers stay, without a key.
    expect(left.keys).toBe(0)
    // It is still the kiosk of this office.
    expect(left.settings['device-use']).toBe(`kiosk:${officeId}`)
    await evening.context.close()
    expect(findTexts(profile, [...Object.values(typed), mailed])).toEqual([])
  })
})

async function openTablet() {
  const { origin: baseURL } = fixture.portal()
  const context = await launchWithProfile(profile, {
    baseURL,
    viewport: { width: 800, height: 1_280 },
    locale: 'fr-CM',
  })
  await failOnCspViolations(context)
  const page = context.pages()[0] ?? (await context.newPage())
  return { context, page, applicant: createApplicant(page, fixture.portal(), 'fr') }
}

/** From the sign-in to the booked place, and out by the button of the last screen. */
async function completeJourney(applicant: Applicant) {
  const { page, button, heading, named } = applicant
  await applicant.signInByPhone(walkIn)
  await applicant.startApplication()
  await applicant.fillForm({ ...firstPassport, phoneNumber: walkIn, surname: typed.walkIn })
  await applicant.confirmData()
  await applicant.payByDemonstration()
  await expect.poll(() => named('officeId').inputValue()).toBe(officeId)
  await expect.poll(() => named('time').inputValue()).not.toBe('')
  await button('button.confirm').click()
  await heading('schedule.heading')
  await button('button.finalize').click()
  await heading('final.heading')
  await leave(applicant, () => button('button.close').click())
  expect((await readPageStores(page)).rows).toBe(0)
}

/** Types without a connection and leaves: the tablet locks the answers. Returns the application number. */
async function walkAwayOffline(applicant: Applicant): Promise<string> {
  const { page, t, named } = applicant
  await applicant.signInByPhone(walkAway)
  await applicant.startApplication()
  await named('travelDestination').fill('Bangui')
  await page.getByText(t('form.onServer')).waitFor()
  const [number] = /\b[A-Z]{2}-\d{4}-\d+-\d\b/.exec(await page.getByRole('main').innerText()) ?? []
  if (number === undefined) throw new Error('The form shows no application number')
  await page.context().setOffline(true)
  await named('travelDestination').fill(typed.walkAway)
  await page.getByText(t('form.kept')).waitFor()
  await stopClock(page)
  await leave(applicant, async () => {
    await page.clock.fastForward(idleMs)
    await page.clock.resume()
  })
  await page.context().setOffline(false)
  return number
}

/** Signs in by e-mail, writes one answer and logs out. The list shows no form of the previous applicant. */
async function writeByMail(applicant: Applicant) {
  const { page, t, named } = applicant
  await applicant.signInByEmail(mailed)
  expect(await page.getByRole('link', { name: t('procedure.open.form') }).count()).toBe(0)
  await applicant.startApplication()
  await named('travelDestination').fill(typed.mailed)
  await page.getByText(t('form.onServer')).waitFor()
  await applicant.button('button.cancel').click()
  await finish(applicant)
}

/** The applicant who went away signs in again: the locked answers open and are sent. `number`: of `walkAwayOffline`. */
async function comeBack(applicant: Applicant, number: string) {
  const { page, t, named } = applicant
  await applicant.signInByPhone(walkAway)
  await page.getByRole('link', { name: new RegExp(number) }).click()
  await expect.poll(() => named('travelDestination').inputValue()).toBe(typed.walkAway)
  await page.getByText(t('form.onServer')).waitFor()
  await applicant.button('button.cancel').click()
  await finish(applicant)
}

/** The office closes while an applicant is signed in. */
async function startAndLeaveOpen(applicant: Applicant) {
  const { page, t, named } = applicant
  await applicant.signInByPhone(cutOff)
  await applicant.startApplication()
  await named('travelDestination').fill(typed.cutOff)
  await page.getByText(t('form.onServer')).waitFor()
}

/** By the button of the header, because on a kiosk the list of applications has no Log out. */
async function finish(applicant: Applicant) {
  const { page, t, heading } = applicant
  await heading('procedure.heading')
  await leave(applicant, () => page.getByRole('button', { name: t('kiosk.finish') }).click())
}

/** A kiosk opens the welcome page again after it was cleared. */
async function leave({ page, heading }: Applicant, act: () => Promise<void>) {
  const reopened = page.waitForEvent('load')
  await act()
  await reopened
  await heading('welcome.heading')
}
