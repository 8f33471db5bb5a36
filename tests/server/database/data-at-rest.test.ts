import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { emptyForm, type FormValues, toWire } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { startEncryption } from '#server/config/data-keys.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import { decryptComplete } from '#server/features/applications/stored-form.ts'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { markedTabs } from '#support/data/markers.ts'
import {
  bodyOf,
  openBrowser,
  type SignedIn,
  signIn,
  signInDirectly,
  type SignedInDirectly,
} from '#support/servers/api-client.ts'
import { openAccountWithBoth, proveContact } from '#support/servers/prove-contact.ts'
import { configOf } from '#support/servers/services-on.ts'
import type { TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { dumpRows } from './dump-rows.ts'
import { openPaymentFixture, type PaymentFixture } from '../payments/payment-fixture.ts'

let fixture: PaymentFixture
let server: TestServer
afterEach(() => fixture.close())

async function open(env: Record<string, string> = {}): Promise<void> {
  fixture = await openPaymentFixture()
  server = fixture.server
  if (Object.keys(env).length > 0) await restartWith(env)
}

/** Gives the running server the keys that it would have after a restart with these settings. */
async function restartWith(env: Record<string, string>): Promise<void> {
  const { db, secrets } = server.services
  const { dataKeys, ...others } = await loadSecrets(db, configOf(env))
  Object.assign(secrets, others)
  // The encryption of the database connection reads this object, so it must not be replaced.
  Object.assign(secrets.dataKeys, dataKeys)
  Object.assign(server.services.config.keys, configOf(env).keys)
}

/**
 * Makes the server store new values readable, as an earlier release did, until the encryption starts. A restart may then have
 * any key; while there is no applicant, it also starts the encryption.
 */
async function forgetEncryption(): Promise<void> {
  await server.services.db.deleteFrom('encryption').execute()
  server.services.secrets.dataKeys.isStarted = false
}

type Person = { browser: SignedInDirectly; id: ApplicationId; form: FormValues; markers: string[] }

/** An applicant whose answers occur nowhere else; `word` makes them differ from those of another. */
async function fillForm(word: string): Promise<Person> {
  const browser = await signInDirectly(server, { email: `${word}@example.cm` })
  const { id } = bodyOf(await browser.call('createApplication')).data
  const typedPairs = markedTabs
    .filter(({ tab }) => tab === 'PersonData' || tab === 'ParentData')
    .flatMap(({ typed }): (readonly [string, string])[] => [...typed])
  const answers = typedPairs
    .filter(([name, text]) => text.length > 6 && name !== 'email' && name !== 'reprNicNumber')
    .map(([name, text]) => [name, `${text.slice(0, 15)} ${word}`] as const)
  const numbers = { nicNumber: `9182${word}`, reprNicNumber: `7301${word}`, eppNumber: `53${word}` }
  const form = { ...emptyForm(), ...Object.fromEntries(answers), ...numbers }
  const additionalData = `Note de ${word}`
  const body = { ...toWire(form), additionalData, draft: true }
  bodyOf(await browser.call('saveData', { params: { id }, body }))
  const texts = [...new Map(answers).values(), ...Object.values(numbers), additionalData]
  return { browser, id, form, markers: texts }
}

async function readForm({ browser, id }: Person) {
  return bodyOf(await browser.call('readData', { params: { id } })).data
}

async function markersInDump(markers: readonly string[]): Promise<string[]> {
  const text = (await dumpRows(server.services.db)).toLowerCase()
  return markers.filter(marker => text.includes(marker.toLowerCase()))
}

/** An order of Mobile Money; returns its payer. */
async function pay() {
  const payer = await fixture.newPaymentApplicant('mtn')
  expect(await payer.pay()).toBe(200)
  return payer
}

/** The key that a demo generates and stores. */
async function demoKeys(): Promise<string[]> {
  const rows = await server.services.db
    .selectFrom('secret')
    .select('value')
    .where('name', '=', 'dataKey')
    .execute()
  return rows.map(({ value }) => value)
}

const newKey = () => randomBytes(32).toString('hex')

describe('personal data in the database (D71)', () => {
  it('is not readable in a dump: no answer of a form, and no number that paid', async () => {
    await open()
    const people = [await fillForm('wq41'), await fillForm('zk82'), await fillForm('yv63')]
    const payer = await pay()
    const markers = [...people.flatMap(person => person.markers), payer.phone]
    expect(new Set(markers).size).toBeGreaterThan(50)
    expect(await markersInDump(markers)).toEqual([])
    for (const person of people) {
      const stored = await readForm(person)
      expect(stored).toMatchObject({ ...toWire(person.form), email: expect.any(String) })
      expect(stored.additionalData).toBe(person.markers.at(-1))
    }
    const list = { query: { applicationId: payer.applicationId } }
    expect(JSON.stringify(bodyOf(await payer.browser.call('listPayments', list)))).toContain(payer.phone)
  })

  it.each(['mtn', 'orange', 'collect'] as const)(
    'is not readable in a dump when %s says in a sentence why an order failed',
    async name => {
      await open()
      const payer = await fixture.newPaymentApplicant(name)
      expect(await payer.pay()).toBe(200)
      const { order_id: orderId } = await payer.order()
      const sentence = `Le solde du compte ${payer.phone} de Xanthippe Woubara est insuffisant.`
      payer.simulator.decide(orderId, 'failed', sentence)
      await payer.passSeconds(60, async () => (await payer.status()) === 'ERROR')
      expect(await payer.status()).toBe('ERROR')
      expect(await markersInDump([payer.phone, payer.phone.slice(3), 'Xanthippe Woubara'])).toEqual([])
    },
  )

  it('opens only in its own row: a value of another applicant is refused', async () => {
    await open()
    const [one, other] = [await fillForm('wq41'), await fillForm('zk82')]
    await sql`
      update application set data = (select data from application where id = ${other.id})
      where id = ${one.id}`.execute(server.services.db)
    const answer = await one.browser.call('readData', { params: { id: one.id } })
    expect(answer.status).toBe(500)
    expect(server.warnings.splice(0)).toHaveLength(1)
    expect((await readForm(other)).surname).toBe(other.form.surname)
  })

  it('of an earlier release is read as it is, and encrypt-data leaves no readable answer or number outside the idempotency table', async () => {
    await open()
    await forgetEncryption()
    const person = await fillForm('wq41')
    const payer = await pay()
    const markers = [...person.markers, payer.phone]
    expect(await markersInDump(markers)).toEqual(markers)
    const before = await readForm(person)
    const officeCommand = openCliFixture(server.services)
    const dry = await officeCommand.run('encrypt-data', '--dry-run')
    expect(dry.lines).toEqual(
      expect.arrayContaining([
        '2 applications encrypted under DATA_KEY.',
        '1 order encrypted under DATA_KEY.',
      ]),
    )
    expect(await markersInDump(markers)).toEqual(markers)
    expect((await officeCommand.run('encrypt-data')).kind).toBe('done')
    expect((await officeCommand.run('encrypt-data')).lines).toEqual([
      'Everything is encrypted under DATA_KEY.',
    ])
    officeCommand.close()
    await server.services.db.deleteFrom('idempotency').execute()
    expect(await markersInDump(markers)).toEqual([])
    expect(await readForm(person)).toEqual(before)
    // This process started before the encryption did, and encrypts now too.
    const later = await fillForm('zk82')
    expect(await markersInDump(later.markers)).toEqual([])
  })

  it('stays readable while DATA_KEY changes, and a start without a key that values need is refused', async () => {
    const [old, next] = [newKey(), newKey()]
    await open()
    await forgetEncryption()
    await restartWith({ DATA_KEY: old })
    const person = await fillForm('wq41')
    const payer = await pay()
    const read = async () => [await readForm(person), await payer.attempts()]
    const before = await read()
    await expect(restartWith({ DATA_KEY: next })).rejects.toThrow('DATA_KEYS_PREVIOUS')
    await restartWith({ DATA_KEY: next, DATA_KEYS_PREVIOUS: old })
    expect(await read()).toEqual(before)
    const officeCommand = openCliFixture(server.services)
    expect((await officeCommand.run('encrypt-data')).lines).toContain(
      '2 applications encrypted under DATA_KEY.',
    )
    officeCommand.close()
    await restartWith({ DATA_KEY: next })
    expect(await read()).toEqual(before)
    expect(await markersInDump([...person.markers, payer.phone])).toEqual([])
  })

  it('stays readable in the stored answer to a payment call while DATA_KEY changes, so that a retry gets it (D13)', async () => {
    const [old, next] = [newKey(), newKey()]
    await open()
    await forgetEncryption()
    await restartWith({ DATA_KEY: old })
    await startEncryption(server.services.db, server.services.secrets.dataKeys)
    const payer = await fixture.newPaymentApplicant('mtn')
    const query = { applicationId: payer.applicationId, phone: payer.phone }
    const key = randomUUID()
    const retry = () => payer.browser.call('startMobilePayment', { key, query })
    const first = bodyOf(await retry())
    await restartWith({ DATA_KEY: next, DATA_KEYS_PREVIOUS: old })
    const officeCommand = openCliFixture(server.services)
    expect((await officeCommand.run('encrypt-data')).lines).toContain(
      '1 stored answer encrypted under DATA_KEY.',
    )
    expect((await officeCommand.run('encrypt-data')).lines).toEqual([
      'Everything is encrypted under DATA_KEY.',
    ])
    officeCommand.close()
    await restartWith({ DATA_KEY: next })
    expect(bodyOf(await retry())).toEqual(first)
    expect(await payer.attempts()).toHaveLength(1)
  })

  it('stays readable in the complete form beside incomplete answers while DATA_KEY changes (D14)', async () => {
    const [old, next] = [newKey(), newKey()]
    await open()
    await forgetEncryption()
    await restartWith({ DATA_KEY: old })
    await startEncryption(server.services.db, server.services.secrets.dataKeys)
    const { browser, applicationId: id } = await fixture.newPaymentApplicant('mtn')
    const body = { ...toWire({ ...firstPassport, surname: '' }), draft: true }
    bodyOf(await browser.call('saveData', { params: { id }, body }))
    expect(await markersInDump([firstPassport.surname])).toEqual([])
    const read = async () => {
      const rows = server.services.db.selectFrom('application').select(['id', 'data']).where('id', '=', id)
      return decryptComplete(server.services, await rows.executeTakeFirstOrThrow())?.surname
    }
    expect(await read()).toBe(firstPassport.surname)
    await restartWith({ DATA_KEY: next, DATA_KEYS_PREVIOUS: old })
    const officeCommand = openCliFixture(server.services)
    expect((await officeCommand.run('encrypt-data')).kind).toBe('done')
    officeCommand.close()
    await restartWith({ DATA_KEY: next })
    expect(await read()).toBe(firstPassport.surname)
  })

  it('of a demo stays readable under a key of the settings, and encrypt-data deletes the key of the demo', async () => {
    await open()
    const person = await fillForm('kd57')
    const payer = await pay()
    const read = async () => [await readForm(person), await payer.attempts()]
    const before = await read()
    const [demo] = await demoKeys()
    const next = newKey()
    await restartWith({ DATA_KEY: next, DATA_KEYS_PREVIOUS: demo ?? '' })
    expect(await read()).toEqual(before)
    const officeCommand = openCliFixture(server.services)
    expect((await officeCommand.run('encrypt-data')).kind).toBe('done')
    officeCommand.close()
    expect(await demoKeys()).toEqual([])
    await restartWith({ DATA_KEY: next })
    expect(await read()).toEqual(before)
  })

  it('shows no contact in a dump, and the owner and the operator still find the contacts (D109, D112)', async () => {
    await open()
    const contacts = await useContacts()
    expect(await markersInDump(contacts.markers)).toEqual([])
    await expectFound(contacts)
  })

  it('of an earlier release keeps its accounts while the contacts are encrypted, and while DATA_KEY changes', async () => {
    const [old, next] = [newKey(), newKey()]
    await open()
    await forgetEncryption()
    await restartWith({ DATA_KEY: old })
    // The restart has started the encryption.
    await forgetEncryption()
    const contacts = await useContacts()
    expect((await markersInDump(contacts.markers)).length).toBe(contacts.markers.length)
    const officeCommand = openCliFixture(server.services)
    await officeCommand.run('encrypt-data')
    await restartWith({ DATA_KEY: old })
    expect(await markersInDump(contacts.markers)).toEqual([])
    await expectFound(contacts)
    await restartWith({ DATA_KEY: next, DATA_KEYS_PREVIOUS: old })
    await expectFound(contacts)
    await officeCommand.run('encrypt-data')
    officeCommand.close()
    await restartWith({ DATA_KEY: next })
    await expectFound(contacts)
    expect(await markersInDump(contacts.markers)).toEqual([])
  })
})

/** Runs `before` under the old key, and returns an hour after the restart with the new one. */
async function changeKey<Result>(before: () => Promise<Result>): Promise<Result> {
  const [old, next] = [newKey(), newKey()]
  await open()
  await forgetEncryption()
  await restartWith({ DATA_KEY: old })
  const result = await before()
  await restartWith({ DATA_KEY: next, DATA_KEYS_PREVIOUS: old })
  await server.advanceSeconds(3_700)
  return result
}

describe('between a change of DATA_KEY and the end of encrypt-data (D71)', () => {
  it('the command statement finds the application of a payer (D108)', async () => {
    const phone = '237671500001'
    const number = await changeKey(async () => {
      const payer = await signIn(server, { phone })
      return bodyOf(await payer.call('createApplication')).data.applicationNumber
    })
    const officeCommand = openCliFixture(server.services)
    const file = officeCommand.file(
      'statement.csv',
      'order,amount,currency,method,reference,phone',
      `PO-2026-000001-AAAAAAAA,110000,XAF,MOBILE,MP-1,+${phone}`,
    )
    const compared = async () => (await officeCommand.run('statement', file)).lines[2]
    const during = await compared()
    await officeCommand.run('encrypt-data')
    expect([during, await compared()]).toEqual(
      Array(2).fill(expect.stringMatching(new RegExp(` ${number}$`))),
    )
    officeCommand.close()
  })

  it('the download of the data has all rows of the contacts (D98)', async () => {
    const phone = '237671500002'
    await changeKey(() => signIn(server, { phone }))
    const officeCommand = openCliFixture(server.services)
    await officeCommand.run(
      'load-whitelist',
      officeCommand.file('paid.csv', 'contact,otherContact', `+${phone},`),
    )
    const owner = await signIn(server, { phone })
    const count = async () => {
      const { text } = bodyOf(await owner.call('downloadData', { query: { format: 'json' } })).data
      const { challenge, one_time_code, outbox, whitelist } = JSON.parse(text).tables
      return [challenge, one_time_code, outbox, whitelist].map(rows => rows.length)
    }
    const during = await count()
    await officeCommand.run('encrypt-data')
    officeCommand.close()
    expect(during).toEqual([2, 2, 2, 1])
    expect(await count()).toEqual(during)
  })

  it('the deletion of an account leaves a removed contact to the account that has it now (D112)', async () => {
    const [phone, email] = ['237671500003', 'next@example.cm']
    const owner = await changeKey(async () => {
      const both = await openAccountWithBoth(server, { phone, email })
      await server.advanceSeconds(61)
      await proveContact(server, both, { phone })
      bodyOf(await both.call('removeContact', { body: { kind: 'email' } }))
      return both
    })
    const next = await signIn(server, { email })
    expect(next.applicantId).not.toBe(owner.applicantId)
    const challenges = () =>
      server.services.db
        .selectFrom('challenge')
        .select('id')
        .where(columnIsContact('value', email))
        .where('proven_at', 'is not', null)
        .execute()
    const before = await challenges()
    const again = await signIn(server, { phone })
    expect(again.applicantId).toBe(owner.applicantId)
    await server.advanceSeconds(61)
    await proveContact(server, again, { phone })
    bodyOf(await again.call('deleteAccount'))
    await server.advanceSeconds(7 * 86_400 + 1)
    await eraseAccounts(server.services)
    expect((await signIn(server, { phone })).applicantId).not.toBe(owner.applicantId)
    expect(await challenges()).toEqual(before)
    expect(before.length).toBeGreaterThan(0)
  })
})

describe('a contact that looks like an encrypted one (D71)', () => {
  it('is stored, read and encrypted as any other', async () => {
    await open()
    await forgetEncryption()
    const email = 'contact-1.ab.cd@example.cm'
    const before = await signIn(server, { email })
    const officeCommand = openCliFixture(server.services)
    expect((await officeCommand.run('encrypt-data')).kind).toBe('done')
    officeCommand.close()
    expect(await markersInDump([email])).toEqual([])
    await server.advanceSeconds(3_700)
    expect((await signIn(server, { email })).applicantId).toBe(before.applicantId)
  })
})

describe('a browser that asks for a code before and after the encryption starts (D71)', () => {
  it('has one challenge, and encrypt-data ends', async () => {
    await open()
    await forgetEncryption()
    const body = { msisdn: '237677123123', email: '' }
    const browser = openBrowser(server)
    await browser.call('auth', { body })
    await startEncryption(server.services.db, server.services.secrets.dataKeys)
    await server.advanceSeconds(3_700)
    await browser.call('auth', { body })
    expect(await server.services.db.selectFrom('challenge').select('id').execute()).toHaveLength(1)
    const officeCommand = openCliFixture(server.services)
    expect((await officeCommand.run('encrypt-data')).kind).toBe('done')
    officeCommand.close()
  })
})

type Contacts = { owner: SignedIn; phone: string; email: string; markers: string[] }

/** An account with both contacts, messages to them, a code to a stranger, and two entries of the whitelist. */
async function useContacts(): Promise<Contacts> {
  const owner = await openAccountWithBoth(server)
  const { db } = server.services
  const own = await db
    .selectFrom('contact')
    .select(['kind', 'value'])
    .where('applicant_id', '=', owner.applicantId)
    .execute()
  const of = (kind: 'phone' | 'email') => own.find(each => each.kind === kind)?.value ?? ''
  const [phone, email] = [of('phone'), of('email')]
  const officeCommand = openCliFixture(server.services)
  const file = officeCommand.file(
    'paid.csv',
    'contact,otherContact',
    `+237698765432,paid@example.cm`,
    `+${phone},`,
  )
  expect((await officeCommand.run('load-whitelist', file)).kind).toBe('done')
  expect((await officeCommand.run('load-whitelist', file)).lines[0]).toContain('3 contacts: 0 added')
  officeCommand.close()
  const stranger = openBrowser(server)
  await stranger.call('auth', { body: { msisdn: '237677123123', email: '' } })
  return { owner, phone, email, markers: [phone, email, '237698765432', 'paid@example.cm', '237677123123'] }
}

async function expectFound({ owner, phone, email }: Contacts): Promise<void> {
  await server.advanceSeconds(3_700)
  expect((await signIn(server, { phone })).applicantId).toBe(owner.applicantId)
  const again = await signIn(server, { email })
  expect(again.applicantId).toBe(owner.applicantId)
  const { data } = bodyOf(await again.call('downloadData', { query: { format: 'json', lg: 'en' } }))
  expect(data.text).toContain(phone)
  expect(data.text).toContain(email)
  const { tables } = JSON.parse(data.text)
  expect(tables.outbox.length).toBeGreaterThan(1)
  expect(tables.whitelist).toHaveLength(1)
  const officeCommand = openCliFixture(server.services)
  const ended = await officeCommand.run('end-sessions', `+${phone}`, '--reason', 'Call of the applicant')
  expect(ended.lines[0]).toMatch(/^[1-9]\d* sessions? ended\.$/)
  officeCommand.close()
}
