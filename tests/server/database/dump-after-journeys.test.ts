import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type FormValues, toWire } from '#contract/application.ts'
import { joinDayAndTime } from '#contract/appointment.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { createApp } from '#server/start/app.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import {
  bornAbroad,
  firstPassport,
  minorWithRepresentative,
  renewalBornAbroad,
} from '#support/data/applicants.ts'
import { bodyOf, openBrowser, signIn, type TestBrowser } from '#support/servers/api-client.ts'
import { configOf, servicesOn } from '#support/servers/services-on.ts'
import type { TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { dumpRows } from './dump-rows.ts'
import { openPaymentFixture, type PaymentFixture } from '../payments/payment-fixture.ts'

let fixture: PaymentFixture
let first: TestServer
let second: TestServer
afterEach(async () => {
  await second?.app.close()
  await fixture?.close()
})

/** Gives the first process, which keeps running, the keys of `env`, as a restart would. */
async function startFirst(env: Record<string, string>): Promise<void> {
  const { db, secrets, config } = first.services
  const { dataKeys, ...others } = await loadSecrets(db.withoutPlugins(), configOf(env))
  Object.assign(secrets, others)
  // The encryption of the database connection reads this object, so it must not be replaced.
  Object.assign(secrets.dataKeys, dataKeys)
  Object.assign(config.keys, configOf(env).keys)
}

/** Starts or restarts the second process with the keys of `env`, on the tables and the clock of the first. */
async function startSecond(env: Record<string, string>): Promise<void> {
  await second?.app.close()
  const { db, clock, logger, config } = first.services
  const services = await servicesOn(db.withoutPlugins(), { clock, logger, env: { CAPTCHA: 'off', ...env } })
  services.config.payments = config.payments
  const app = createApp(services, { providers: paymentProviders(services) })
  await app.ready()
  second = { ...first, app, services }
}

/** The key that a server without DATA_KEY has generated and stored: the old key of this test. */
async function demoKey(): Promise<string> {
  const { db } = first.services
  const row = await db
    .selectFrom('secret')
    .select('value')
    .where('name', '=', 'dataKey')
    .executeTakeFirstOrThrow()
  return row.value
}

/**
 * DATA_KEY encrypts. The keys in DATA_KEYS_PREVIOUS only decrypt: earlier keys, and also the next key before any
 * process encrypts with it.
 */
function keysOfRounds(old: string, next: string) {
  return {
    old: { DATA_KEY: old },
    oldAndNext: { DATA_KEY: old, DATA_KEYS_PREVIOUS: next },
    nextAndOld: { DATA_KEY: next, DATA_KEYS_PREVIOUS: old },
    next: { DATA_KEY: next },
  }
}

const textFields = [
  'travelDestination',
  'reasonForTravel',
  'givenName',
  'surname',
  'city',
  'otherOccupation',
  'resAddressCity',
  'resAddressStreet',
  'motherSurname',
  'motherGivenName',
  'fatherSurname',
  'reprSurname',
  'reprGivenName',
  'nicPlaceOfIssuance',
  'reprNicPlaceOfIssuance',
] as const satisfies readonly (keyof FormValues)[]
const numberFields = ['nicNumber', 'reprNicNumber', 'eppNumber'] as const

type Person = { phone: string; form: FormValues; note: string; markers: string[] }

/** Answers that occur nowhere else. `index` makes them differ from those of another applicant. */
function markedPerson(base: FormValues, index: number): Person {
  const letter = String.fromCodePoint(97 + index)
  const texts = textFields
    .filter(name => base[name] !== '')
    .map((name, place) => [name, `Zorvil${letter}${String.fromCodePoint(97 + place)}quaz`] as const)
  const numbers = numberFields
    .filter(name => base[name] !== '')
    .map((name, place) => [name, `9${index}8${place}73645546`.slice(0, base[name].length)] as const)
  const subscriber = `69183742${index}`
  const email = `xanthippe.${letter}@exemple-marque.cm`
  const answers = Object.fromEntries([...texts, ...numbers])
  const note = `Gnomon vaporeux ${letter}`
  return {
    phone: `237${subscriber}`,
    form: { ...base, ...answers, dialCode: '237', phoneNumber: subscriber, email },
    note,
    markers: [...Object.values(answers), subscriber, email, note],
  }
}

/** What a journey leaves: the application, and the applicant's browser at each process. */
type JourneyResult = { id: ApplicationId; at: (process: TestServer) => TestBrowser }

/** From the code to the receipt. Each call after the sign-in goes to the other process than the call before. */
async function journey({ phone, form, note }: Person): Promise<JourneyResult> {
  const { token } = await signIn(first, { phone })
  const at = (process: TestServer) => openBrowser(process, token)
  let calls = 0
  const browser = () => at((calls += 1) % 2 === 0 ? first : second)
  const { id } = bodyOf(await browser().call('createApplication')).data
  const params = { id }
  const query = { applicationId: id }
  const body = { ...toWire(form), additionalData: note, draft: true }
  bodyOf(await browser().call('saveData', { params, body }))
  bodyOf(await browser().call('confirmData', { params, body: toWire(form) }))
  const payment = bodyOf(await browser().call('startMockPayment', { query })).data
  await first.advanceSeconds(1)
  const paid = bodyOf(await browser().call('readPayment', { params: { id: payment.id }, query })).data
  expect(paid.paymentStatus).toBe('SUCCESS')
  const place = await freePlace(browser, id)
  const booking = bodyOf(
    await browser().call('createAppointment', { body: { ...query, ...place, generalQueue: false } }),
  ).data
  bodyOf(await browser().call('confirmAppointment', { params: { id: booking.id } }))
  expect(await readPdfText(bodyOf(await browser().call('getPdf', { params })))).toContain(form.givenName)
  return { id, at }
}

async function freePlace(browser: () => TestBrowser, applicationId: ApplicationId) {
  const countries = bodyOf(await browser().call('listOfficeCountries')).data.data
  const countryId = countries.find(({ name }) => name === 'Cameroun')?.id ?? ''
  const cities = bodyOf(await browser().call('listCities', { params: { countryId } })).data.data
  const cityId = cities.find(({ name }) => name === 'Yaoundé')?.id ?? ''
  const officeId = bodyOf(await browser().call('listOffices', { query: { cityId } })).data.data[0]?.id ?? ''
  const params = { officeId }
  const dates = bodyOf(await browser().call('listAvailableDates', { params, query: { applicationId } })).data
    .data
  const date = dates[6] ?? ''
  const slots = bodyOf(await browser().call('listAvailableSlots', { params, query: { date } })).data.data
  return { officeId, appointmentDate: joinDayAndTime(date, slots[0] ?? '') }
}

/** Expects none of the markers in the dump. Returns the dump in small letters. */
async function expectNone(markers: readonly string[]): Promise<string> {
  const text = (await dumpRows(first.services.db)).toLowerCase()
  expect(markers.filter(marker => text.includes(marker.toLowerCase()))).toEqual([])
  return text
}

/** Expects that both processes read three fields of every applicant's form as they were typed. */
async function expectReadable(journeys: readonly (JourneyResult & Person)[]): Promise<void> {
  for (const { id, at, form } of journeys)
    for (const process of [first, second]) {
      const read = bodyOf(await at(process).call('readData', { params: { id } })).data
      expect(read).toMatchObject({
        surname: form.surname,
        motherSurname: form.motherSurname,
        email: form.email,
      })
    }
}

describe('a dump after whole journeys at two processes, while DATA_KEY changes (D71)', () => {
  it('has none of 50 answers and contacts, in each round and after the old key is gone', async () => {
    fixture = await openPaymentFixture()
    first = fixture.server
    const keys = keysOfRounds(await demoKey(), randomBytes(32).toString('hex'))
    const people = [firstPassport, renewalBornAbroad, minorWithRepresentative, bornAbroad].map(markedPerson)
    const rounds = [
      [keys.old, keys.old],
      [keys.oldAndNext, keys.old],
      [keys.nextAndOld, keys.oldAndNext],
      [keys.next, keys.nextAndOld],
    ] as const
    const journeys: (JourneyResult & Person)[] = []
    const payers: string[] = []
    for (const [index, person] of people.entries()) {
      const [ofFirst, ofSecond] = rounds[index] ?? rounds[0]
      if (index === 3) {
        await startFirst(keys.nextAndOld)
        await startSecond(keys.nextAndOld)
        const officeCommand = openCliFixture(first.services)
        expect((await officeCommand.run('encrypt-data')).kind).toBe('done')
        officeCommand.close()
      }
      await startFirst(ofFirst)
      await startSecond(ofSecond)
      journeys.push({ ...person, ...(await journey(person)) })
      if (index === 0) {
        const payer = await fixture.newPaymentApplicant('mtn')
        expect(await payer.pay()).toBe(200)
        // Without the country code, so that a number stored without it is found too.
        payers.push(payer.phone.replace(/^237/, ''))
      }
      await expectReadable(journeys)
      await expectNone([...journeys.flatMap(({ markers }) => markers), ...payers])
    }
    await startSecond(keys.next)
    await expectReadable(journeys)

    const markers = [...people.flatMap(person => person.markers), ...payers]
    expect(markers.length).toBeGreaterThanOrEqual(50)
    const text = await expectNone(markers)
    // The ids are not personal, so the dump has them as they are. They show that it has the rows of these applicants.
    for (const { id } of journeys) expect(text).toContain(id)
  })
})
