import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf } from '#support/servers/api-client.ts'
import { openPaymentFixture, type PaymentApplicant, type PaymentFixture } from './payment-fixture.ts'

let fixture: PaymentFixture
beforeAll(async () => {
  fixture = await openPaymentFixture()
})
afterAll(() => fixture.close())

/** Saves the form as it is while the applicant types; `key`: of the same save again. */
function typeSurname(
  { browser, applicationId }: PaymentApplicant,
  surname: string,
  key = crypto.randomUUID(),
) {
  const body = { ...toWire({ ...firstPassport, surname }), draft: true }
  return browser.call('saveData', { params: { id: applicationId }, body, key })
}

async function surnameOf({ browser, applicationId }: PaymentApplicant) {
  return bodyOf(await browser.call('readData', { params: { id: applicationId } })).data.surname
}

describe('an incomplete form, while an order of the application is open', () => {
  it('is not stored, because a paid form can no longer be completed (D14, D40)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    expect(await payer.pay()).toBe(200)
    expect(await typeSurname(payer, '')).toMatchObject({ status: 409, failure: { reason: 'in-flight' } })
    expect(await typeSurname(payer, 'NGO')).toMatchObject({ status: 200 })
    payer.simulator.decide((await payer.order()).order_id, 'success')
    await payer.pass(60, async () => (await payer.status()) === 'SUCCESS')
    expect((await payer.facts()).state).toBe('PAYMENT_DONE')
    expect(await surnameOf(payer)).toBe('NGO')
    expect(await typeSurname(payer, '')).toMatchObject({ status: 409, failure: { reason: 'wrong-state' } })
  })

  it('is stored under the same key when the order has failed (D13, D14)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    const key = crypto.randomUUID()
    expect(await payer.pay()).toBe(200)
    expect(await typeSurname(payer, '', key)).toMatchObject({ status: 409 })
    payer.simulator.decide((await payer.order()).order_id, 'failed')
    await payer.pass(60, async () => (await payer.status()) === 'ERROR')
    expect(await typeSurname(payer, '', key)).toMatchObject({ status: 200 })
    expect(await surnameOf(payer)).toBe('')
  })
})
