import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Applicant } from '#support/browsers/applicant.ts'
import { createApplicant } from '#support/browsers/applicant.ts'
import {
  type ConfirmedApplication,
  createConfirmedApplication,
  readAttempts,
} from '#support/browsers/application-by-calls.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture({ CAPTCHA: 'off', PAYMENT_SIMULATORS: 'on' })
/** These payers never answer the operator, so their payments stay open. No number gets two orders within a minute. */
const silentPayers = ['670 000 053', '670 000 153'] as const
const inits = '**/api/v1/payments/*-payment-init*'

describe('Pay', () => {
  it('creates one order when it is pressed ten times, in two tabs, after Back and after a reload (D42, GOV.UK Forms #274)', async () => {
    const [payer] = silentPayers
    const { page, context, applicant } = await fixture.openSignedIn('fr', '671400001')
    const prepared = await createConfirmedApplication(page)
    const other = createApplicant(await context.newPage(), fixture.portal(), 'fr')

    await Promise.all([applicant, other].map(each => openPayment(each, prepared, payer)))
    await Promise.all([pressTenTimes(applicant.page), pressTenTimes(other.page)])
    await Promise.all([reachApproval(applicant), reachApproval(other)])
    const [first, ...more] = await readAttempts(page, prepared)
    expect(more).toEqual([])
    expect(first).toMatchObject({ methodType: 'MOBILE', state: 'IN_PROGRESS' })
    expect(new URL(page.url()).pathname.split('/').at(-1)).toBe(first?.id)
    expect(new URL(other.page.url()).pathname).toBe(new URL(page.url()).pathname)

    // Back and a reload show the open payment; pressing Pay again uses the same order.
    await page.goBack()
    await page.getByText(applicant.t('payment.underWay')).waitFor()
    await page.reload()
    await page.getByText(applicant.t('payment.underWay')).waitFor()
    await choose(applicant, payer)
    await pressTenTimes(page)
    await applicant.heading('approval.heading')
    expect(new URL(page.url()).pathname).toBe(new URL(other.page.url()).pathname)
    expect(await readAttempts(page, prepared)).toMatchObject([{ id: first?.id, state: 'IN_PROGRESS' }])
    await context.close()
  })

  it.runIf(isFullRun)(
    'requests the same payment again when its answer was lost, also after a reload (D13)',
    async () => {
      const [, payer] = silentPayers
      const { page, context, applicant } = await fixture.openSignedIn('en', '671400002')
      const prepared = await createConfirmedApplication(page)
      const keys: (string | undefined)[] = []
      let isLost = true
      await page.route(inits, async route => {
        keys.push(route.request().headers()['idempotency-key'])
        if (!isLost) return route.continue()
        await route.fetch() // the server receives the call, but the page gets no answer
        return route.abort('connectionreset')
      })
      await openPayment(applicant, prepared, payer)
      await applicant.button('button.pay').click()
      await page.getByText(applicant.t('notice.serviceUnavailable')).first().waitFor()
      // After a network failure, the portal first probes the service.
      const pressAgain = () => applicant.button('button.pay').click()
      await expect.poll(() => pressAgain().then(() => keys.length)).toBeGreaterThan(1)
      await applicant.button('button.pay').waitFor() // the last retry has failed
      isLost = false
      await page.reload()
      await page.getByText(applicant.t('payment.underWay')).waitFor()
      await choose(applicant, payer)
      await applicant.button('button.pay').click()
      await applicant.heading('approval.heading')
      expect(new Set(keys).size).toBe(1)
      expect(keys[0]).toBeTruthy()
      expect(await readAttempts(page, prepared)).toHaveLength(1)
      await context.close()
    },
  )
})

async function openPayment(applicant: Applicant, { appId, appNumber }: ConfirmedApplication, payer: string) {
  await applicant.page.goto(`${fixture.portal().origin}/payment/${appId}/${appNumber}`)
  await applicant.heading('payment.heading')
  await choose(applicant, payer)
}

/** On a busy machine one tab may say that the service is unavailable: then the test presses Pay in this tab again. */
async function reachApproval({ page, t, button }: Applicant) {
  const approval = page.getByRole('heading', { level: 1, name: t('approval.heading') })
  const unavailable = page.getByText(t('notice.serviceUnavailable')).first()
  await approval.or(unavailable).first().waitFor()
  if (await unavailable.isVisible()) await button('button.pay').click()
  await approval.waitFor()
}

async function choose({ page, t, named }: Applicant, payer: string) {
  await page.getByRole('radio', { name: t('method.MOBILE') }).check()
  await named('phone').fill(payer)
}

/** Presses faster than the page can re-render. */
async function pressTenTimes(page: Page) {
  await page.evaluate(() => {
    const pay = document.querySelector<HTMLButtonElement>('main form button[type="submit"]')
    for (let press = 0; press < 10; press += 1) pay?.click()
  })
}
