import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MethodType } from '#contract/payment.ts'
import { connectDatabase } from '#server/database/connect.ts'
import { type Applicant, createApplicant } from '#support/applicant.ts'
import { firstPassport } from '#support/applicants.ts'
import { createKillableBrowser, type KillableBrowser } from '#support/killable-browser.ts'
import { type Portal, startPortal } from '#support/portal.ts'
import { type Prepared, prepareApplication, readAttempts } from '#support/prepared-application.ts'

const whitelisted = '671300022'
let portal: Portal
let browser: KillableBrowser

beforeAll(async () => {
  portal = await startPortal({ CAPTCHA: 'off' })
  await putOnWhitelist(portal, `237${whitelisted}`)
  browser = createKillableBrowser()
})
afterAll(async () => {
  await browser.close()
  await portal.close()
})

describe('the browser killed between the debit and the result', () => {
  it.each<[MethodType, string]>([
    ['MOCK', '671300021'],
    ['WHITELIST', whitelisted],
  ])('finds the payment on return and goes on, once paid: %s (F1, F2)', async (method, phone) => {
    let applicant = await meet(await browser.open())
    await applicant.page.goto(portal.origin)
    await applicant.heading('welcome.heading')
    await applicant.signInByPhone(phone)
    const prepared = await prepareApplication(applicant.page, { ...firstPassport, phoneNumber: '' })
    await pay(applicant, { method, prepared })
    await browser.kill()

    applicant = await meet(await browser.open())
    await comeBack(applicant, phone)
    await goOnFromList(applicant, method)
    expect(await readAttempts(applicant.page, prepared)).toMatchObject([
      { methodType: method, state: 'SUCCESS' },
    ])
    await applicant.page.goto(`${portal.origin}/procedure`)
    await applicant.page.getByText(applicant.t('procedure.oneStepLeft')).waitFor()
    await browser.kill()
  })
})

async function meet(context: BrowserContext): Promise<Applicant> {
  const page = context.pages()[0] ?? (await context.newPage())
  return createApplicant(page, portal, 'fr')
}

/** Pays, and comes to nothing but the debit: what the service answers after that never arrives. */
async function pay(applicant: Applicant, { method, prepared }: { method: MethodType; prepared: Prepared }) {
  const { page, button, heading } = applicant
  await page.goto(`${portal.origin}/payment/${prepared.appId}/${prepared.appNumber}`)
  await heading('payment.heading')
  const debited = loseAnswers(page)
  if (method === 'WHITELIST') await button('button.continue').click()
  else {
    await page.getByRole('radio', { name: applicant.t(`method.${method}`) }).check()
    await button('button.pay').click()
  }
  await debited
}

/** Lets the call that pays reach the service and its answer reach nobody; settles once the service has answered. */
async function loseAnswers(page: Page): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    page
      .route('**/api/v1/payments/*-payment-init*', async route => {
        await route.fetch()
        resolve()
      })
      .catch(reject)
  })
}

/** With the session that the browser kept, or by signing in once more where it had kept none yet. */
async function comeBack(applicant: Applicant, phone: string) {
  const { page, t, heading } = applicant
  await page.goto(`${portal.origin}/procedure`)
  const welcome = page.getByRole('heading', { level: 1, name: t('welcome.heading') })
  await page
    .getByRole('heading', { level: 1, name: t('procedure.heading') })
    .or(welcome)
    .waitFor()
  if (await welcome.isVisible()) await applicant.signInByPhone(phone)
  await heading('procedure.heading')
}

/** What is open is shown before anything can be paid again; what is paid leads to the appointment. */
async function goOnFromList({ page, t, heading, button }: Applicant, method: MethodType) {
  if (method === 'WHITELIST') {
    await page.getByRole('link', { name: t('procedure.open.appointment') }).click()
    return heading('appointment.heading')
  }
  await page.getByRole('link', { name: t('payment.followIt') }).click()
  await heading('payResult.heading')
  await page.getByRole('main').getByText(t('status.SUCCESS')).first().waitFor()
  await page.getByText(t('payResult.oneStepLeft')).waitFor()
  await button('button.continueToAppointment').click()
  return heading('appointment.heading')
}

/** As an operator loads the list of the old system. */
async function putOnWhitelist(stopped: Portal, phone: string) {
  await stopped.stop()
  const database = await connectDatabase({ databaseUrl: undefined, dataDir: stopped.dataDir })
  await database.db.insertInto('whitelist').values({ kind: 'phone', value: phone }).execute()
  await database.close()
  await stopped.start()
}
