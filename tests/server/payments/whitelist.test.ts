import type { RawBuilder } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { hiddenContact } from '#server/crypto/hidden-contact.ts'
import { contactValue } from '#server/database/contact-values.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { type ApiApplicant, type ApiFixture, openApiFixture } from '../api-fixture.ts'

let fixture: ApiFixture

afterEach(() => fixture.close())

const phone = '237671234567'
const email = 'ngo@example.cm'

/** Opens the server with one entry for each contact. Two entries are payments of two people. */
async function open(contacts: ('phone' | 'email')[], env: Record<string, string> = {}) {
  fixture = await openApiFixture({ env: { PAYMENT_METHODS: 'WHITELIST,MOCK', ...env } })
  for (const kind of contacts) await addEntry(kind, contactValue(kind === 'phone' ? phone : email))
}

function addEntry(kind: 'phone' | 'email', value: string | RawBuilder<string>) {
  return fixture.db.insertInto('whitelist').values({ kind, value }).execute()
}

/** Adds the address to the account. The token of the applicant does not name it. */
function addEmail({ caller }: ApiApplicant) {
  return fixture.db
    .insertInto('contact')
    .values({ kind: 'email', value: contactValue(email), applicant_id: caller.applicantId })
    .execute()
}

/** Begins an application, and pays for it with the payment of the old system. Returns the status of the answer. */
async function payByWhitelist(by: ApiApplicant): Promise<number> {
  const applicationId = await confirmedApplication(by)
  return (await by.call('startWhitelistPayment', { query: { applicationId } })).status
}

async function confirmedApplication(by: ApiApplicant): Promise<string> {
  const id = (await by.call('createApplication')).body?.data.id ?? ''
  await by.call('confirmData', { params: { id }, body: toWire(firstPassport) })
  return id
}

async function isOffered(by: ApiApplicant): Promise<boolean> {
  const { body } = await by.call('listPaymentMethods')
  return body?.data.some(({ type, enable }) => type === 'WHITELIST' && enable) ?? false
}

it('does not count a payment of the old system when the method is switched off (PAY31)', async () => {
  await open(['phone'], { PAYMENT_METHODS: 'MOCK' })
  const owner = await fixture.signIn({ phone })
  expect(await isOffered(owner)).toBe(false)
  expect(await payByWhitelist(owner)).toBe(409)
})

it('leaves the payments of the old system of other people unused (PAY31)', async () => {
  await open(['phone', 'email'])
  const [one, other] = [await fixture.signIn({ phone }), await fixture.signIn({ email })]
  expect(await payByWhitelist(one)).toBe(200)
  expect(await isOffered(other)).toBe(true)
  expect(await payByWhitelist(other)).toBe(200)
})

it('counts one payment of the old system for one applicant, whose second contact has an entry later (PAY31)', async () => {
  await open(['phone'])
  const owner = await fixture.signIn({ phone })
  expect(await payByWhitelist(owner)).toBe(200)
  await addEntry('email', contactValue(email))
  await addEmail(owner)
  expect(await isOffered(owner)).toBe(false)
  expect(await payByWhitelist(owner)).toBe(409)
})

it('counts a payment of the old system for a further application when the first was paid here (PAY31)', async () => {
  await open([])
  const owner = await fixture.signIn({ phone })
  const applicationId = await confirmedApplication(owner)
  const { body } = await owner.call('startMockPayment', { query: { applicationId } })
  fixture.advanceMs(300)
  await owner.call('readPayment', { params: { id: body?.data.id ?? '' }, query: { applicationId } })
  await addEntry('phone', contactValue(phone))
  expect(await isOffered(owner)).toBe(true)
  expect(await payByWhitelist(owner)).toBe(200)
})

it('finds the payment of a contact that the account got after the sign-in, but not for another account (PAY31)', async () => {
  await open(['email'])
  const owner = await fixture.signIn({ phone })
  const stranger = await fixture.signIn({ phone: '237699999999' })
  await addEmail(owner)
  expect(await isOffered(stranger)).toBe(false)
  expect(await payByWhitelist(stranger)).toBe(409)
  expect(await payByWhitelist(owner)).toBe(200)
})

it.each(['phone', 'email'] as const)(
  'finds by the %s a payment of an account that was deleted (D112)',
  async kind => {
    await open([])
    const { codeKey } = fixture.services.secrets
    await addEntry(kind, hiddenContact(codeKey, { kind, value: kind === 'phone' ? phone : email }))
    const owner = await fixture.signIn(kind === 'phone' ? { phone } : { email })
    expect(await payByWhitelist(owner)).toBe(200)
  },
)
