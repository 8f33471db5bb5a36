import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedInDirectly, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

describe('an application over HTTP', () => {
  let server: TestServer
  let applicant: SignedInDirectly
  let id: string

  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.close())
  afterEach(() => expect(server.warnings).toEqual([]))
  beforeEach(async () => {
    applicant = await signInDirectly(server)
    id = bodyOf(await applicant.call('createApplication')).data.id
  })

  async function state(): Promise<string | undefined> {
    return bodyOf(await applicant.call('listApplications')).data[0]?.currentState
  }

  it('goes from NEW through DATA_SAVED to PAYMENT_DONE (STA09)', async () => {
    const states = [await state()]
    await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })
    states.push(await state())
    const query = { applicationId: id }
    const payment = bodyOf(await applicant.call('startMockPayment', { query })).data
    await server.advanceSeconds(1)
    const polled = await applicant.call('readPayment', { params: { id: payment.id }, query })
    expect(bodyOf(polled).data.paymentStatus).toBe('SUCCESS')
    states.push(await state())
    expect(states).toEqual(['NEW', 'DATA_SAVED', 'PAYMENT_DONE'])
  })

  it('answers 422 with the field and stores nothing when a type is wrong or a text is too long (D11, D12)', async () => {
    const body = { ...toWire(firstPassport), surname: ['Ngo'], nicNumber: 'x'.repeat(51) }
    expect(await applicant.call('saveData', { params: { id }, body })).toMatchObject({
      status: 422,
      failure: {
        statusCode: 422,
        reason: 'invalid',
        errors: [
          { field: 'surname', message: 'not-valid' },
          { field: 'nicNumber', message: 'too-long-50' },
        ],
      },
    })
    expect(bodyOf(await applicant.call('readData', { params: { id } })).data.version).toBe(0)
  })

  it.each(['a\0b', 'half \ud83d'])(
    'answers 422 for additionalData that the database cannot store: %j (D12)',
    async text => {
      const body = { draft: true, additionalData: text }
      expect(await applicant.call('saveData', { params: { id }, body })).toMatchObject({
        status: 422,
        failure: { errors: [{ field: 'additionalData', message: 'not-valid' }] },
      })
    },
  )

  it('answers 409 with the newer data when the base version is stale (D14)', async () => {
    const params = { id }
    await applicant.call('saveData', { params, body: { surname: 'First', draft: true, baseVersion: 0 } })
    const late = await applicant.call('saveData', { params, body: { draft: true, baseVersion: 0 } })
    expect(late).toMatchObject({
      status: 409,
      failure: { statusCode: 409, reason: 'stale-version', data: { surname: 'First', version: 1 } },
    })
  })

  it("answers 404 with the same body for another applicant's id and a missing id (D12)", async () => {
    const other = await signInDirectly(server, { email: 'other@example.cm' })
    const missing = '3f0c4f57-4f5f-4b0e-9d4e-6d8f3f1d2c11'
    const calls = [id, missing, 'nothing'].flatMap(each => [
      other.call('readData', { params: { id: each } }),
      other.call('confirmData', { params: { id: each }, body: toWire(firstPassport) }),
      other.call('startMockPayment', { query: { applicationId: each } }),
      other.call('listPayments', { query: { applicationId: each } }),
    ])
    const answers = await Promise.all(calls)
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([404]))
    const failures = answers.map(answer =>
      JSON.stringify(answer.kind === 'failed' ? answer.failure : undefined),
    )
    expect(new Set(failures).size).toBe(1)
  })

  it('answers the countries in the requested language, by default in French', async () => {
    const inEnglish = await applicant.call('listCountries', { query: { lg: 'en' } })
    const inFrench = await applicant.call('listCountries')
    expect(bodyOf(inEnglish).data.data).toContainEqual({ id: '10998', name: 'Cameroon' })
    expect(bodyOf(inFrench).data.data).toContainEqual({ id: '10998', name: 'Cameroun' })
  })
})
