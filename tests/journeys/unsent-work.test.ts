import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { firstPassport } from '#support/data/applicants.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
const britain = '11197'
const savesOfForms = /\/api\/v1\/applications\/[^/]+\/data/

/**
 * From now on the test answers each save of a form with 503 in the server's place: the server seems reachable and
 * stores nothing. Returns a function that lets the saves through again.
 */
async function refuseForms(page: Page) {
  await page.route(savesOfForms, route =>
    route.request().method() === 'POST'
      ? answerAsServer(route, { status: 503, json: { statusCode: 503 } })
      : route.continue(),
  )
  return () => page.unroute(savesOfForms)
}

function collectPosts(page: Page, part: string) {
  const posts: string[] = []
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().includes(part)) posts.push(request.url())
  })
  return posts
}

/** Fills in and confirms a new application. The portal then shows the payment page. */
async function openPayment(phone: string) {
  const opened = await fixture.openSignedIn('fr', phone)
  const { applicant, page } = opened
  await applicant.startApplication()
  const [, , id, number] = new URL(page.url()).pathname.split('/')
  await applicant.fillForm({ ...firstPassport, phoneNumber: phone })
  await applicant.button('button.confirm').click()
  await applicant.heading('payment.heading')
  return { ...opened, id, number }
}

describe('answers that are not on the server', () => {
  it.runIf(isFullRun)('keep the payment from starting until they are sent (OFF08)', async () => {
    const phone = '671320001'
    const { page, context, applicant, id, number } = await openPayment(phone)
    const { t, button, named, heading } = applicant

    const letThrough = await refuseForms(page)
    await page.goto(`/form/${id}/${number}/GeneralData`)
    await named('travelDestination').fill('Libreville')
    await page.getByText(t('form.kept')).waitFor()
    const payments = collectPosts(page, '/payments/')
    await page.goto(`/payment/${id}/${number}`)
    await heading('payment.heading')
    await page.getByRole('radio', { name: t('method.MOCK') }).check()
    await button('button.pay').click()
    await page.getByText(t('notice.unsent')).first().waitFor()
    expect(payments).toEqual([])
    await letThrough()
    await page.goto(`/form/${id}/${number}/GeneralData`)
    await page
      .getByText(/Enregistré en ligne/)
      .first()
      .waitFor()
    await page.goto(`/payment/${id}/${number}`)
    await applicant.payByDemonstration()
    expect(payments).toHaveLength(1)
    await context.close()
  })

  it.runIf(isFullRun)('keep a booking from starting (OFF09)', async () => {
    const phone = '671320002'
    const { page, context, applicant, id, number } = await openPayment(phone)
    const { t, button, named, heading } = applicant
    await refuseForms(page)
    await page.goto(`/form/${id}/${number}/GeneralData`)
    await named('travelDestination').fill('Libreville')
    await page.getByText(t('form.kept')).waitFor()
    // Another device of the applicant pays now.
    const other = await fixture.openSignedIn('fr', phone)
    await other.page.goto(`/payment/${id}/${number}`)
    await other.applicant.payByDemonstration()
    await other.context.close()

    const bookings = collectPosts(page, '/appointments')
    await page.goto(`/appointment/${id}/${number}`)
    await heading('appointment.heading')
    await named('country').selectOption(britain)
    await expect.poll(() => named('time').inputValue(), { timeout: 60_000 }).not.toBe('')
    await button('button.confirm').click()
    await page.getByText(t('notice.unsent')).first().waitFor()
    expect(bookings).toEqual([])
    await context.close()
  })
})

describe('a failure without a text of its own', () => {
  it('says that something went wrong (ERR13)', async () => {
    const { page, context, applicant } = await fixture.openSignedIn('fr', '671320003')
    await page.route('**/api/v1/applications', route =>
      route.request().method() === 'POST'
        ? answerAsServer(route, { status: 400, json: { statusCode: 400 } })
        : route.continue(),
    )
    await applicant.button('procedure.new').click()
    await page.getByText(applicant.t('notice.generic')).first().waitFor()
    await applicant.heading('procedure.heading')
    await context.close()
  })
})

describe('a submit that waited for the connection', () => {
  it.runIf(isFullRun)('is shown as refused by the server, and its form stays open (ERR26)', async () => {
    const phone = '671320004'
    const { page, context, applicant } = await fixture.openSignedIn('fr', phone)
    const { t, button } = applicant
    await applicant.startApplication()
    await applicant.fillTabs({ ...firstPassport, phoneNumber: phone })
    await context.setOffline(true)
    await button('button.submit').click()
    await page.getByText(t('form.submitWaits')).waitFor()
    await page.route(savesOfForms, route =>
      route.request().method() === 'POST'
        ? answerAsServer(route, { status: 400, json: { statusCode: 400, errors: [] } })
        : route.continue(),
    )
    await context.setOffline(false)
    await page.getByText(t('notice.uploadFailed')).first().waitFor()
    await page.getByText(t('form.stuckRefused')).first().waitFor()
    const chosen = page.locator('[name=selectNic]:checked')
    expect(await chosen.inputValue()).toBe(firstPassport.selectNic)
    expect(await chosen.isVisible()).toBe(true)
    await context.close()
  })
})
