import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { MethodType } from '#contract/payment.ts'
import { connectDatabase } from '#server/database/connect.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { isFullRun } from '#support/test-tier.ts'
import { createKillableBrowser, type KillableBrowser } from '#support/browsers/killable-browser.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import {
  type ConfirmedApplication,
  createConfirmedApplication,
  readAttempts,
} from '#support/browsers/application-by-calls.ts'

const whitelisted = '671300022'
/** Methods of the full run only. */
const longRun: [MethodType, string][] = [
  ['CARD', '671300027'],
  ['WHITELIST', whitelisted],
  ['MOCK', '671300021'],
  ['AGGREGATOR', '671300024'],
  ['CARD_UBA', '671300025'],
  ['BACM', '671300026'],
]
let portal: Portal
let browser: KillableBrowser

beforeAll(async () => {
  // The simulators enable all other methods.
  portal = await startPortal({ CAPTCHA: 'off', PAYMENT_SIMULATORS: 'on', PAYMENT_METHODS: 'MOCK,WHITELIST' })
  await putOnWhitelist(portal, `237${whitelisted}`)
  browser = createKillableBrowser()
})
afterAll(async () => {
  await browser.close()
  await portal.close()
})

afterEach(() => browser.kill())

describe('an applicant who opens the portal again after the browser was killed between the order and its result', () => {
  it.each<[MethodType, string]>([['MOBILE', '671300023'], ...(isFullRun ? longRun : [])])(
    'is led on to the booking, with one payment attempt: %s (F1, F2)',
    async (method, phone) => {
      let applicant = await openApplicant(await browser.open())
      await applicant.page.goto(portal.origin)
      await applicant.heading('welcome.heading')
      await applicant.signInByPhone(phone)
      const prepared = await createConfirmedApplication(applicant.page)
      await pay(applicant, { method, prepared, phone })
      await browser.kill()

      applicant = await openApplicant(await browser.open())
      await reopenPortal(applicant, phone)
      await continueFromList(applicant)
      expect(await readAttempts(applicant.page, prepared)).toMatchObject([
        { methodType: method, state: 'SUCCESS' },
      ])
      await applicant.page.goto(`${portal.origin}/procedure`)
      await applicant.page.getByText(applicant.t('procedure.oneStepLeft')).waitFor()
    },
  )
})

async function openApplicant(context: BrowserContext): Promise<Applicant> {
  const page = context.pages()[0] ?? (await context.newPage())
  return createApplicant(page, portal, 'fr')
}

/** Pays. The browser does not get what follows: the answer of the server, or for a card the redirect of the bank. */
async function pay(
  applicant: Applicant,
  { method, prepared, phone }: { method: MethodType; prepared: ConfirmedApplication; phone: string },
) {
  const { page, button, heading, named } = applicant
  await page.goto(`${portal.origin}/payment/${prepared.appId}/${prepared.appNumber}`)
  await heading('payment.heading')
  const isCard = ['CARD', 'CARD_UBA', 'BACM'].includes(method)
  const sent = isCard ? payAtBank(page) : loseAnswers(page)
  if (method === 'WHITELIST') {
    await button('button.continue').click()
    return sent
  }
  await page.locator(`main [name="type"][value="${method}"]`).check()
  if (method === 'AGGREGATOR') {
    await named('paymentMethod').selectOption('MTN-Money')
    await named('name').fill('Ngo Biyong')
  }
  if (method === 'AGGREGATOR' || method === 'MOBILE') await named('phone').fill(phone)
  await button('button.pay').click()
  return sent
}

/** The bank debits the card, and its redirect back to the portal never arrives. */
async function payAtBank(page: Page): Promise<void> {
  await page.waitForURL(/\/\/127\.0\.0\.1:\d+\/\w+\/page/)
  const paid = new Promise<void>((resolve, reject) => {
    page
      .route('**/decide', async route => {
        await route.fetch({ maxRedirects: 0 })
        resolve()
      })
      .catch(reject)
  })
  await page.getByRole('button', { name: 'Pay' }).click({ noWaitAfter: true })
  await paid
}

/** Passes the payment call to the server and drops its answer. Resolves when the server has answered. */
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

/** Opens the list with the stored session, or signs in again when the browser has none. */
async function reopenPortal(applicant: Applicant, phone: string) {
  const { page, t, heading } = applicant
  await page.goto(`${portal.origin}/procedure`)
  const welcome = page.getByRole('heading', { level: 1, name: t('welcome.heading') })
  await page
    .getByRole('heading', { level: 1, name: t('procedure.heading') })
    .or(welcome)
    .waitFor()
  if (await welcome.isVisible()) await signInAgain(applicant, phone)
  await heading('procedure.heading')
}

async function signInAgain({ page, t, heading, button, named }: Applicant, phone: string) {
  await page.getByRole('link', { name: t('welcome.phone') }).click()
  await heading('mobile.heading')
  await named('phoneNumber').fill(phone)
  await button('button.continue').click()
  await heading('password.heading')
  await page.getByLabel(t('password.code')).fill(await portal.codeFor(`237${phone}`))
  await button('button.continue').click()
}

/** Opens the link that the list shows: to the open payment, or to the booking when the payment is recorded already. */
async function continueFromList({ page, t, heading, button }: Applicant) {
  const open = page.getByRole('link', { name: t('payment.followIt') })
  const paid = page.getByRole('link', { name: t('procedure.open.appointment') })
  // The payment may be recorded at any moment, and then the list shows the other link.
  await open.or(paid).first().click()
  const result = page.getByRole('heading', { level: 1, name: t('payResult.heading') })
  await result
    .or(page.getByRole('heading', { level: 1, name: t('appointment.heading'), exact: true }))
    .waitFor()
  if (await result.isVisible()) {
    await page.getByRole('main').getByText(t('status.SUCCESS')).first().waitFor()
    await page.getByText(t('payResult.oneStepLeft')).waitFor()
    await button('button.continueToAppointment').click()
  }
  return heading('appointment.heading')
}

/** Stops the portal for the write: without PostgreSQL its database is embedded, and only one process can open that. */
async function putOnWhitelist(running: Portal, phone: string) {
  await running.stop()
  const database = await connectDatabase({ databaseUrl: running.databaseUrl, dataDir: running.dataDir })
  await database.db.insertInto('whitelist').values({ kind: 'phone', value: phone }).execute()
  await database.close()
  await running.start()
}
