import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Applicant } from '#support/applicant.ts'
import { createApplicant } from '#support/applicant.ts'
import { firstPassport } from '#support/applicants.ts'
import { isFull } from '#support/full.ts'
import { type Prepared, prepareApplication, readAttempts } from '#support/prepared-application.ts'
import { walkThePortal } from '#support/walk.ts'

const walk = walkThePortal({ CAPTCHA: 'off' })
const inits = '**/api/v1/payments/*-payment-init*'
const checks = /\/api\/v1\/payments\/[\da-f-]{36}\?/

describe('Pay', () => {
  it('pressed ten times, in two tabs, after Back and after a reload, makes one order (D42, GOV.UK Forms #274)', async () => {
    const { page, context, applicant } = await walk.meet('fr')
    await applicant.signInByPhone('671400001')
    const prepared = await prepareApplication(page, { ...firstPassport, phoneNumber: '' })
    // Nobody learns how the payment ends before the test is over.
    await context.route(checks, route => route.abort())
    const other = createApplicant(await context.newPage(), walk.portal(), 'fr')

    await Promise.all([openPayment(applicant, prepared), openPayment(other, prepared)])
    await Promise.all([pressTenTimes(applicant.page), pressTenTimes(other.page)])
    await Promise.all([applicant.heading('payResult.heading'), other.heading('payResult.heading')])
    const [first, ...more] = await readAttempts(page, prepared)
    expect(more).toEqual([])
    expect(new URL(page.url()).pathname.split('/').at(-1)).toBe(first?.id)
    expect(new URL(other.page.url()).pathname).toBe(new URL(page.url()).pathname)

    // Back shows what is under way; whoever pays all the same pays the same order.
    await page.goBack()
    // The demonstration settles by itself within seconds: what Back shows meanwhile is looked at in the long run.
    if ((await landing(applicant)) === 'to pay' && isFull) {
      await page.getByText(applicant.t('payment.underWay')).waitFor()
      await choose(applicant)
      await pressTenTimes(page)
      await applicant.heading('payResult.heading')
    }
    expect(await readAttempts(page, prepared)).toHaveLength(1)
    await context.close()
  })

  it('whose answer was lost asks for the same payment again, also after a reload (D13)', async () => {
    const { page, context, applicant } = await walk.meet('en')
    await applicant.signInByPhone('671400002')
    const prepared = await prepareApplication(page, { ...firstPassport, phoneNumber: '' })
    const keys: (string | undefined)[] = []
    await page.route(inits, async route => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 2) return route.continue()
      await route.fetch() // the service hears of it, the applicant hears nothing
      return route.abort('connectionreset')
    })
    await openPayment(applicant, prepared)
    await applicant.button('button.pay').click()
    await page.getByText(applicant.t('notice.serviceUnavailable')).first().waitFor()
    // A line that was lost is tried before anything is sent over it.
    const pressAgain = () => applicant.button('button.pay').click()
    await expect.poll(() => pressAgain().then(() => keys.length)).toBe(2)
    await page.reload()
    // The demonstration settles by itself within seconds: what Back shows meanwhile is looked at in the long run.
    if ((await landing(applicant)) === 'to pay' && isFull) {
      await choose(applicant)
      await applicant.button('button.pay').click()
      await applicant.heading('payResult.heading')
    }
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toBeTruthy()
    expect(await readAttempts(page, prepared)).toHaveLength(1)
    await context.close()
  })
})

async function openPayment(applicant: Applicant, { appId, appNumber }: Prepared) {
  await applicant.page.goto(`${walk.portal().origin}/payment/${appId}/${appNumber}`)
  await applicant.heading('payment.heading')
  await choose(applicant)
}

/** On a slow machine the service has learnt by now that it is paid: then there is nothing to press any more. */
async function landing({ page, t }: Applicant): Promise<'to pay' | 'paid'> {
  const method = page.getByRole('radio', { name: t('method.MOCK') })
  const paid = (['payResult.heading', 'appointment.heading'] as const).map(key =>
    page.getByRole('heading', { level: 1, name: t(key) }),
  )
  await paid
    .reduce((all, each) => all.or(each), method)
    .first()
    .waitFor()
  return (await method.isVisible()) ? 'to pay' : 'paid'
}

async function choose({ page, t }: Applicant) {
  await page.getByRole('radio', { name: t('method.MOCK') }).check()
}

/** Faster than any hand: before the page can draw itself anew. */
async function pressTenTimes(page: Page) {
  await page.evaluate(() => {
    const pay = document.querySelector<HTMLButtonElement>('main form button[type="submit"]')
    for (let press = 0; press < 10; press += 1) pay?.click()
  })
}
