import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { readMyData } from '#server/features/account/my-data.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf } from '#support/servers/api-client.ts'
import { openPaymentFixture, type PaymentApplicant, type PaymentFixture } from './payment-fixture.ts'

let fixture: PaymentFixture
beforeAll(async () => {
  fixture = await openPaymentFixture()
})
afterAll(() => fixture.close())

/** Saves the form with this surname, as the portal does while the applicant types. The same `key` repeats a save. */
function typeSurname(
  { browser, applicationId }: PaymentApplicant,
  surname: string,
  key = crypto.randomUUID(),
) {
  const body = { ...toWire({ ...firstPassport, surname }), draft: true }
  return browser.call('saveData', { params: { id: applicationId }, body, key })
}

async function surnameOf(payer: PaymentApplicant) {
  return (await readForm(payer)).surname
}

describe('an incomplete form, while an order of the application is open', () => {
  it('is not stored, because a paid form can no longer be completed (D14, D40)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    expect(await payer.pay()).toBe(200)
    expect(await typeSurname(payer, '')).toMatchObject({ status: 409, failure: { reason: 'in-flight' } })
    expect(await typeSurname(payer, 'NGO')).toMatchObject({ status: 200 })
    payer.simulator.decide((await payer.order()).order_id, 'success')
    await payer.passSeconds(60, async () => (await payer.status()) === 'SUCCESS')
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
    await payer.passSeconds(60, async () => (await payer.status()) === 'ERROR')
    expect(await typeSurname(payer, '', key)).toMatchObject({ status: 200 })
    expect(await surnameOf(payer)).toBe('')
  })
})

/** An applicant whose order has failed. */
async function newFailedPayer() {
  const payer = await fixture.newPaymentApplicant('mtn')
  expect(await payer.pay()).toBe(200)
  payer.simulator.decide((await payer.order()).order_id, 'failed')
  await payer.passSeconds(60, async () => (await payer.status()) === 'ERROR')
  return payer
}

/** The provider reports a success of the last order, which is open or has failed (D42). */
async function letLastOrderSucceed(payer: PaymentApplicant) {
  payer.simulator.decide((await payer.order()).order_id, 'success')
  await payer.passSeconds(600, async () => (await payer.status()) === 'SUCCESS')
  expect((await payer.facts()).state).toBe('PAYMENT_DONE')
}

async function readForm({ browser, applicationId }: PaymentApplicant) {
  return bodyOf(await browser.call('readData', { params: { id: applicationId } })).data
}

async function ownerOf({ applicationId }: PaymentApplicant): Promise<string> {
  const owner = await fixture.server.services.db
    .selectFrom('application')
    .select('applicant_id')
    .where('id', '=', applicationId)
    .executeTakeFirstOrThrow()
  return owner.applicant_id
}

describe('an incomplete form, after an order of the application has failed', () => {
  it('gives way to the confirmed one when the payment arrives late, which closes the form (D14, D42)', async () => {
    const payer = await newFailedPayer()
    expect(await typeSurname(payer, '')).toMatchObject({ status: 200 })
    const before = await readForm(payer)
    expect(before).toMatchObject({ surname: '', draft: true })
    await letLastOrderSucceed(payer)
    const after = await readForm(payer)
    expect(after).toMatchObject({ surname: firstPassport.surname, draft: false })
    expect(after.version).toBeGreaterThan(before.version ?? Infinity)
  })

  it('gives way to the last one that was complete', async () => {
    const payer = await newFailedPayer()
    for (const surname of ['NGO', '', 'BIYONG', '', ' '])
      expect(await typeSurname(payer, surname)).toMatchObject({ status: 200 })
    await letLastOrderSucceed(payer)
    expect(await surnameOf(payer)).toBe('BIYONG')
  })

  it('gives way to the last one that was complete on its day, also when its identity card has expired since (D14)', async () => {
    // 23:55 in Cameroon.
    const late = await openPaymentFixture({ startsAt: '2026-12-01T22:55:00Z' })
    const payer = await late.newPaymentApplicant('mtn')
    const { browser, applicationId } = payer
    expect(await payer.pay()).toBe(200)
    payer.simulator.decide((await payer.order()).order_id, 'failed')
    await payer.passSeconds(60, async () => (await payer.status()) === 'ERROR')
    const save = (surname: string) => {
      const typed = { ...firstPassport, surname, nicDateOfExpiry: '2026-12-01' }
      return browser.call('saveData', {
        params: { id: applicationId },
        body: { ...toWire(typed), draft: true },
        key: crypto.randomUUID(),
      })
    }
    expect(await save('NGO')).toMatchObject({ status: 200 })
    await late.server.advanceSeconds(600)
    expect(await save('')).toMatchObject({ status: 200 })
    await letLastOrderSucceed(payer)
    expect(await surnameOf(payer)).toBe('NGO')
    await late.close()
  })

  it('does not replace a form that was completed after it', async () => {
    const payer = await newFailedPayer()
    for (const surname of ['', 'NGO'])
      expect(await typeSurname(payer, surname)).toMatchObject({ status: 200 })
    await letLastOrderSucceed(payer)
    expect(await surnameOf(payer)).toBe('NGO')
  })

  it('is in the data of the account together with the complete one (D98)', async () => {
    const payer = await newFailedPayer()
    expect(await typeSurname(payer, '')).toMatchObject({ status: 200 })
    const [application] = (await readMyData(fixture.server.services, await ownerOf(payer))).tables.application
    expect(application?.['data']).toMatchObject({
      surname: '',
      complete: { surname: firstPassport.surname },
    })
  })

  it('gives way to the form for which the payment was ordered, also when that form was complete only on the next day (D14)', async () => {
    // 23:55 in Cameroon.
    const late = await openPaymentFixture({ startsAt: '2026-12-01T22:55:00Z' })
    const payer = await late.newPaymentApplicant('mtn')
    const { browser, applicationId } = payer
    const save = (surname: string) => {
      const typed = { ...firstPassport, surname, nicDateOfIssuance: '2026-12-02' }
      const body = { ...toWire(typed), draft: true }
      return browser.call('saveData', { params: { id: applicationId }, body, key: crypto.randomUUID() })
    }
    expect(await save('DEMAIN')).toMatchObject({ status: 200 })
    await late.server.advanceSeconds(600)
    expect(await payer.pay()).toBe(200)
    // `advanceSeconds` does not move the clock of the database, so the time of the order is before midnight. This moves it to
    // after midnight.
    await payer.makeOlderBySeconds(-600)
    payer.simulator.decide((await payer.order()).order_id, 'failed')
    await payer.passSeconds(1_200, async () => (await payer.status()) === 'ERROR')
    expect(await save('')).toMatchObject({ status: 200 })
    await letLastOrderSucceed(payer)
    expect(await surnameOf(payer)).toBe('DEMAIN')
    await late.close()
  })
})

describe('an incomplete form, before the first order of the application', () => {
  it('stays when the next day has made it complete and it is paid then', async () => {
    // 23:55 in Cameroon.
    const late = await openPaymentFixture({ startsAt: '2026-12-01T22:55:00Z' })
    const payer = await late.newPaymentApplicant('mtn')
    const { browser, applicationId } = payer
    const typed = { ...firstPassport, surname: 'DEMAIN', nicDateOfIssuance: '2026-12-02' }
    const body = { ...toWire(typed), draft: true }
    expect(await browser.call('saveData', { params: { id: applicationId }, body })).toMatchObject({
      status: 200,
    })
    expect(await payer.pay()).not.toBe(200)
    await late.server.advanceSeconds(600)
    expect(await payer.pay()).toBe(200)
    await letLastOrderSucceed(payer)
    expect(await surnameOf(payer)).toBe('DEMAIN')
    await late.close()
  })
})
