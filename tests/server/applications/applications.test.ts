import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fieldNames, type FormValues, fromWire, toWire } from '#contract/application.ts'
import { applicationStates, isOpen } from '#contract/states.ts'
import { fromStored } from '#server/config/data-keys.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import { type ApiFixture, type ApiApplicant, openApiFixture } from '../api-fixture.ts'

let fixture: ApiFixture
let applicant: ApiApplicant
let id: string

beforeAll(async () => {
  fixture = await openApiFixture()
})
afterAll(() => fixture.close())
beforeEach(async () => {
  applicant = await fixture.signIn()
  id = await create(applicant)
})

async function create(by: ApiApplicant): Promise<string> {
  return (await by.call('createApplication')).body?.data.id ?? ''
}

function save(values: Partial<FormValues>, more: { draft?: boolean; baseVersion?: number } = {}) {
  return applicant.call('saveData', { params: { id }, body: { ...values, ...more } })
}

function confirm(values: FormValues, more: { baseVersion?: number } = {}) {
  return applicant.call('confirmData', { params: { id }, body: { ...toWire(values), ...more } })
}

async function read() {
  return (await applicant.call('readData', { params: { id } })).body?.data
}

async function list(by = applicant) {
  return (await by.call('listApplications')).body?.data ?? []
}

describe('createApplication', () => {
  it('answers with an application number (API07)', async () => {
    const { body } = await applicant.call('createApplication')
    expect(body?.data.applicationNumber).toMatch(/^PP-2026-\d{6}-\d$/)
  })

  it('gives twenty simultaneous calls the same application (LST07)', async () => {
    const newcomer = await fixture.signIn()
    const ids = await Promise.all(Array.from({ length: 20 }, () => create(newcomer)))
    expect(new Set(ids).size).toBe(1)
    expect(await list(newcomer)).toHaveLength(1)
  })

  it('says isExisting of an application that was open already, and not of a new one (D14, LST07)', async () => {
    const newcomer = await fixture.signIn()
    const { body: first } = await newcomer.call('createApplication')
    const { body: second } = await newcomer.call('createApplication')
    expect(first?.data).not.toHaveProperty('isExisting')
    expect(second?.data).toEqual({ ...first?.data, isExisting: true })
  })

  it.each(applicationStates.filter(state => !isOpen(state)))(
    'creates another application when the first is no longer open: %s (LST07)',
    async state => {
      await fixture.db.updateTable('application').set({ state }).where('id', '=', id).execute()
      expect(await create(applicant)).not.toBe(id)
    },
  )
})

describe('the list of applications', () => {
  it("shows the caller's applications, newest first, deleted ones too (API08)", async () => {
    await fixture.db.updateTable('application').set({ state: 'DELETED' }).where('id', '=', id).execute()
    const second = await create(applicant)
    expect((await list()).map(each => [each.id, each.currentState])).toEqual([
      [second, 'NEW'],
      [id, 'DELETED'],
    ])
  })

  it('contains the id of the appointment (API08, LST06)', async () => {
    const appointmentId = '3f0c4f57-4f5f-4b0e-9d4e-6d8f3f1d2c11'
    await fixture.db
      .updateTable('application')
      .set({ appointment_id: appointmentId })
      .where('id', '=', id)
      .execute()
    expect((await list())[0]?.appointment).toEqual({ id: appointmentId })
  })

  it('contains the name of the person and the reason, once the form has them (API08)', async () => {
    expect((await list())[0]).toMatchObject({ person: { surname: '', givenName: '' }, reason: null })
    const body = { draft: true, surname: 'NGONO', givenName: 'Anaïs', reason: '11214' }
    await applicant.call('saveData', { params: { id }, body })
    expect((await list())[0]).toMatchObject({
      person: { surname: 'NGONO', givenName: 'Anaïs' },
      reason: '11214',
    })
  })

  it('answers 404 when the caller names another applicant', async () => {
    const other = await fixture.signIn()
    const answer = await other.call('listApplications', {
      query: { applicantId: applicant.caller.applicantId },
    })
    expect(answer.status).toBe(404)
    const own = await applicant.call('listApplications', {
      query: { applicantId: applicant.caller.applicantId },
    })
    expect(own.status).toBe(200)
  })
})

describe('the data of an application', () => {
  it('start with the defaults of the form and the verified phone number (API10)', async () => {
    const data = await read()
    expect(data).toMatchObject({
      reason: '11211',
      gender: '11216',
      placeOfBirth: '10998',
      dialCode: '237',
      phoneNumber: '237671234567',
      version: 0,
      draft: true,
      additionalData: '',
    })
  })

  it.each([
    ['a first passport', firstPassport],
    ['a renewal of an applicant born abroad', renewalBornAbroad],
    ['a minor with a representative', minorWithRepresentative],
  ])('are read as they were saved: %s (API09, API10, S42)', async (_, values) => {
    expect(await save(toWire(values))).toMatchObject({ status: 200, body: { data: { version: 1 } } })
    const data = await read()
    const form = new Map(Object.entries(fromWire(data ?? {})))
    expect(Object.fromEntries(fieldNames.map(name => [name, form.get(name)]))).toEqual(values)
    expect(data).toMatchObject({ phoneNumber: `237${values.phoneNumber}`, draft: false })
  })

  it('contain the names of places in the home country, and null for places abroad (API10)', async () => {
    await save(toWire(renewalBornAbroad))
    expect(await read()).toMatchObject({
      addressCameroonForWeb: null,
      resAddressCameroonForWeb: {
        regionName: 'Littoral',
        departmentName: 'Wouri',
        localityName: expect.stringContaining('Douala'),
      },
      reprAddressCameroonForWeb: null,
    })
  })

  it('contain the number of remaining changes of the appointment (S08)', async () => {
    expect(await read()).toMatchObject({ changeAppointmentAccess: false, appointmentChangeCount: 1 })
    const scheduled = { state: 'APPOINTMENT_SCHEDULED' } as const
    await fixture.db.updateTable('application').set(scheduled).where('id', '=', id).execute()
    expect(await read()).toMatchObject({ changeAppointmentAccess: true, appointmentChangeCount: 1 })
    await fixture.db.updateTable('application').set({ changes_used: 2 }).where('id', '=', id).execute()
    expect(await read()).toMatchObject({ changeAppointmentAccess: false, appointmentChangeCount: 0 })
  })

  it('keep additionalData (S43)', async () => {
    await applicant.call('saveData', { params: { id }, body: { draft: true, additionalData: 'kept' } })
    expect((await read())?.additionalData).toBe('kept')
  })

  it('keep the verified phone number when a client sends another (PER14)', async () => {
    await save({ ...toWire(firstPassport), phoneNumber: '237699999999' })
    expect((await read())?.phoneNumber).toBe('237671234567')
  })

  it('keep the verified e-mail, and require a phone number when none is verified (PER14, S04)', async () => {
    applicant = await fixture.signIn({ email: 'ngo@example.cm' })
    id = await create(applicant)
    const answer = await save({ ...firstPassport, phoneNumber: '', email: 'other@example.cm' })
    expect(answer).toMatchObject({
      status: 422,
      refusal: { errors: [{ field: 'phoneNumber', message: 'required' }] },
    })
    expect((await save(toWire(firstPassport))).status).toBe(200)
    expect(await read()).toMatchObject({ email: 'ngo@example.cm', phoneNumber: '237671234567' })
  })
})

describe('a draft', () => {
  it('is saved when it is incomplete', async () => {
    expect((await save({ surname: 'Ngo' }, { draft: true })).status).toBe(200)
    expect(await read()).toMatchObject({ surname: 'Ngo', draft: true, version: 1 })
  })

  it('loses the characters that override or isolate the direction of the text, but no direction mark and no letter', async () => {
    const written = { surname: '\u202egnoB\u202c محمد', resAddressStreet: 'Rue \u2067שלום\u2069 ل\u200fا 李' }
    expect((await save(written, { draft: true })).status).toBe(200)
    expect(await read()).toMatchObject({ surname: 'gnoB محمد', resAddressStreet: 'Rue שלום ل\u200fا 李' })
  })

  it.each([
    ['a text too long', { resAddressStreet: 'x'.repeat(81) }, 'resAddressStreet', 'too-long-80'],
    ['another type', { surname: { first: 'Ngo' } }, 'surname', 'not-valid'],
    ['a flag that is a text', { dateOfBirthUnknown: 'yes' }, 'dateOfBirthUnknown', 'not-valid'],
    ['a text no database takes', { surname: 'Ngo\0' }, 'surname', 'not-valid'],
    ['half a character', { surname: 'Ngo \ud83d' }, 'surname', 'not-valid'],
  ])(
    'is refused completely for %s, and the error names the field (D12)',
    async (_, values, field, message) => {
      const body = { ...toWire(firstPassport), ...values, draft: true }
      const answer = await applicant.call('saveData', { params: { id }, body })
      expect(answer).toMatchObject({ status: 422, refusal: { errors: [{ field, message }] } })
      expect(await read()).toMatchObject({ surname: '', version: 0 })
    },
  )

  it('drops keys that the form does not have', async () => {
    await applicant.call('saveData', {
      params: { id },
      body: { surname: 'Ngo', isAdmin: 'yes', draft: true },
    })
    const row = await fixture.db
      .selectFrom('application')
      .select('data')
      .where('id', '=', id)
      .executeTakeFirst()
    const place = { column: 'application.data', row: id }
    const sealed = new Map(Object.entries(row?.data ?? {})).get('sealed')
    const stored = fromStored(fixture.services, place, typeof sealed === 'string' ? sealed : '')
    expect(Object.keys(JSON.parse(stored).values).toSorted()).toEqual(fieldNames.toSorted())
  })
})

describe('two devices', () => {
  it('get 409 and the newer data when the other saved on the same version first (D14)', async () => {
    await save({ surname: 'First' }, { draft: true, baseVersion: 0 })
    const late = await save({ surname: 'Second' }, { draft: true, baseVersion: 0 })
    expect(late).toMatchObject({
      status: 409,
      refusal: { refused: 'stale-version', data: { surname: 'First', version: 1 } },
    })
    expect((await save({ surname: 'Second' }, { draft: true, baseVersion: 1 })).body?.data.version).toBe(2)
  })

  it('save once when twenty calls at once use the same version', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        save({ surname: `N${index}` }, { draft: true, baseVersion: 0 }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
    expect((await read())?.version).toBe(1)
  })

  it('get 409 for a version that never existed', async () => {
    for (const baseVersion of [7, -1, 0.5, 1e300])
      expect((await save({}, { draft: true, baseVersion })).status).toBe(409)
  })
})

describe('confirmData', () => {
  it('moves a new application to DATA_SAVED (API11, STA09)', async () => {
    const confirmed = (await confirm(firstPassport)).body?.data
    expect(confirmed?.currentState).toBe('DATA_SAVED')
    expect((await list())[0]?.currentState).toBe('DATA_SAVED')
    expect(await read()).toMatchObject({ draft: false, surname: 'Ngo Biyong' })
    // The device keeps the confirmed form as the server's (D62).
    const { version, epoch } = confirmed ?? {}
    expect(await read()).toMatchObject({ version, epoch })
    expect([typeof version, typeof epoch]).toEqual(['number', 'string'])
  })

  it('can be repeated, and drafts between do not change the state', async () => {
    await confirm(firstPassport)
    await save({ ...toWire(firstPassport), surname: '' }, { draft: true })
    expect((await list())[0]?.currentState).toBe('DATA_SAVED')
    expect((await confirm({ ...firstPassport, surname: 'Mbock' })).status).toBe(200)
    expect(await read()).toMatchObject({ surname: 'Mbock', draft: false })
  })

  it('answers every fault in the order of `fieldNames` and changes nothing when the form is incomplete', async () => {
    const answer = await confirm({
      ...firstPassport,
      travelDestination: '',
      surname: ' ',
      nicDateOfExpiry: '2020-01-01',
    })
    expect(answer).toMatchObject({
      status: 422,
      refusal: {
        errors: [
          { field: 'travelDestination', message: 'required' },
          { field: 'surname', message: 'required' },
          { field: 'nicDateOfIssuance', message: 'issuance-after-expiry' },
          { field: 'nicDateOfExpiry', message: 'expiry-past' },
        ],
      },
    })
    expect((await list())[0]?.currentState).toBe('NEW')
    expect((await read())?.version).toBe(0)
  })

  it.each([
    [
      'placeOfBirth',
      { placeOfBirth: '1', city: 'Paris', regionCode: '', departmentCode: '', localityId: '' },
    ],
    ['regionCode', { regionCode: 'ATLANTIS' }],
    ['departmentCode', { regionCode: 'WEST' }],
    ['resAddressLocalityId', { resAddressLocalityId: '2007001' }],
    ['occupation', { occupation: '99' }],
  ])('refuses an id that is not in the list of its field: %s', async (field, values) => {
    const answer = await confirm({ ...firstPassport, ...values })
    expect(answer).toMatchObject({ status: 422, refusal: { errors: [{ field, message: 'not-in-list' }] } })
  })

  it('clears fields that do not apply because of other answers (S72)', async () => {
    await confirm({ ...firstPassport, city: 'Paris', otherOccupation: 'Griot', eppNumber: '123' })
    expect(await read()).toMatchObject({ city: '', otherOccupation: '', eppNumber: '' })
  })

  it('answers 409 when the data are newer than the base version (D14)', async () => {
    await save({ surname: 'First' }, { draft: true })
    expect((await confirm(firstPassport, { baseVersion: 0 })).status).toBe(409)
  })

  it.each(['PAYMENT_DONE', 'APPOINTMENT_SCHEDULED', 'SENT_TO_CM', 'DELETED'] as const)(
    'is refused in state %s, and so is saveData (D40)',
    async state => {
      await fixture.db.updateTable('application').set({ state }).where('id', '=', id).execute()
      const answers = [
        await confirm(firstPassport),
        await save(toWire(firstPassport)),
        await save({}, { draft: true }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([409, 409, 409])
      expect((await list())[0]?.currentState).toBe(state)
    },
  )
})

describe("another's application", () => {
  it('is not found, with the same answer as an id that does not exist', async () => {
    const owned = id
    applicant = await fixture.signIn()
    const answers = []
    for (id of [owned, '3f0c4f57-4f5f-4b0e-9d4e-6d8f3f1d2c11', 'not-a-uuid']) {
      answers.push(await applicant.call('readData', { params: { id } }))
      answers.push(
        await save(toWire(firstPassport)),
        await save({}, { draft: true }),
        await confirm(firstPassport),
      )
    }
    expect(new Set(answers.map(answer => JSON.stringify(answer)))).toEqual(
      new Set([
        JSON.stringify({
          status: 404,
          refusal: { refused: 'not-found', message: 'Introuvable.', data: { statusCode: 404 } },
        }),
      ]),
    )
  })
})
