import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAnswerMarks } from '#api/answer-marks.ts'
import { type Call, createCall } from '#api/client.ts'
import type { Reach } from '#api/result.ts'
import { sharedDeviceHeader } from '#contract/codes.ts'
import { endpoints } from '#contract/endpoints.ts'
import { ApplicationId } from '#contract/ids.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { eventually } from '#support/eventually.ts'

let device: FakeDevice
let call: Call
let token: string | undefined
let refreshCount: number
let endCount: number
let leaveCount: number
let problems: string[]
/** What each attempt (`onReached`) has said about the connection. */
let reaches: Reach[]
/** In how many seconds the call is sent again, after each of its attempts. */
let announced: (number | undefined)[]

let isShared: boolean

beforeEach(() => {
  device = createFakeDevice()
  isShared = false
  token = 'first'
  refreshCount = 0
  endCount = 0
  leaveCount = 0
  problems = []
  reaches = []
  announced = []
  call = createCall({
    device,
    origin: '',
    token: () => token,
    async refreshSession() {
      refreshCount += 1
      token = 'second'
      return true
    },
    watchSessionEnd() {
      const endCountBefore = endCount
      return () => endCount !== endCountBefore
    },
    watchLeaving() {
      const leaveCountBefore = leaveCount
      return () => leaveCount !== leaveCountBefore
    },
    isShared: () => isShared,
    onProblem: ({ kind }, { background }) => problems.push(background ? `${kind} in the background` : kind),
    onReached(reach, seconds) {
      reaches.push(reach)
      announced.push(seconds)
    },
    answerMarks: createAnswerMarks(device),
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const applications = { json: { data: [] } }

describe('a call', () => {
  it('that writes is not sent when the applicant has left the page before the endpoints have loaded (D137)', async () => {
    const requests = installFakeFetch(() => ({ json: { data: { statusCode: 0 } } }))
    const called = call('auth', { body: { msisdn: '237671234567', email: '', gRecaptchaResponse: '' } })
    leaveCount += 1
    expect(await called).toMatchObject({ ok: false })
    expect(requests).toEqual([])
    expect(problems).toEqual([])
  })

  it('that reads is sent also when the applicant has left the page before the endpoints have loaded (D137)', async () => {
    const requests = installFakeFetch(() => applications)
    const called = call('listApplications')
    leaveCount += 1
    expect(await called).toMatchObject({ ok: true })
    expect(requests).toHaveLength(1)
  })

  it('of a session that ends before the endpoints have loaded is not sent with the token of the next one (D31)', async () => {
    const requests = installFakeFetch(() => applications)
    const called = call('listApplications')
    endCount += 1
    token = 'of the next applicant'
    expect(await called).toMatchObject({ ok: false, problem: { status: 401 } })
    expect([requests, problems]).toEqual([[], []])
  })

  it('sends the bearer token when the endpoint needs the applicant (SES01)', async () => {
    const requests = installFakeFetch(() => applications)
    await call('listApplications', { query: { applicantId: 'ap 1' } })
    expect(requests[0]?.url).toBe('/api/v1/applications?applicantId=ap+1')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer first')
  })

  it('tells of a shared device when the answer stores a cookie or clears the site data, or the server may remember the browser (D31, D90)', async () => {
    const requests = installFakeFetch(() => ({ json: {} }))
    isShared = true
    const names = Object.keys(endpoints) as (keyof typeof endpoints)[] // keys of the contract
    for (const name of names) await call(name)
    const telling = names.filter((_, index) => requests[index]?.headers.has(sharedDeviceHeader))
    expect(telling).toEqual([
      'auth',
      'login',
      'refreshToken',
      'logout',
      'addContact',
      'confirmContact',
      'answerDormant',
      'askProofCode',
      'proveContact',
    ])
  })

  it('sends no token when the endpoint does not need the applicant (SES02)', async () => {
    const requests = installFakeFetch(() => ({ json: { data: { statusCode: 0 } } }))
    await call('auth', { query: { lg: 'fr' }, body: { msisdn: '237671234567' } })
    await call('version')
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([null, null])
  })

  it('accepts a PDF where the answer is a file, and JSON for its failure (API12)', async () => {
    const requests = installFakeFetch(() => ({ text: '%PDF-1.7\n%%EOF' }))
    await call('getPdf', { params: { id: ApplicationId.parse('a1') } })
    await call('listApplications')
    expect(requests.map(({ headers }) => headers.get('accept'))).toEqual([
      'application/pdf, application/json',
      'application/json',
    ])
  })

  it('sends the idempotency key in a header and the parameters in the URL (D13)', async () => {
    const requests = installFakeFetch(() => ({ json: { data: {} } }))
    await call('saveData', { params: { id: ApplicationId.parse('a1') } }, { key: 'k' })
    expect(requests[0]?.url).toBe('/api/v1/applications/a1/data')
    expect(requests[0]?.headers.get('idempotency-key')).toBe('k')
  })

  it('refreshes the session and retries once after a 401 (S83)', async () => {
    const requests = installFakeFetch(({ headers }) =>
      headers.get('authorization') === 'Bearer second'
        ? applications
        : { status: 401, json: { statusCode: 401, message: 'no' } },
    )
    expect(await call('listApplications')).toMatchObject({ ok: true })
    expect([requests.length, refreshCount]).toEqual([2, 1])
  })

  it('returns the problem when the retry is answered with 401 too (S83)', async () => {
    const requests = installFakeFetch(() => ({ status: 401, json: { statusCode: 401, message: 'no' } }))
    expect(await call('listApplications')).toMatchObject({ ok: false, problem: { status: 401 } })
    expect([requests.length, problems]).toEqual([2, ['refused']])
  })

  it('does not repeat a refused call when another applicant has signed in since (S82, S83)', async () => {
    const requests = installFakeFetch(() => {
      endCount += 1
      token = 'of another applicant'
      return { status: 401, json: { statusCode: 401, message: 'no' } }
    })
    expect(await call('createApplication')).toMatchObject({ ok: false, problem: { status: 401 } })
    expect([requests.length, refreshCount]).toEqual([1, 0])
    expect(problems).toEqual([])
  })

  it('sends no write while the device reports that it is offline (S19)', async () => {
    const requests = installFakeFetch(() => applications)
    device.setOnline(false)
    expect(await call('createApplication')).toEqual({ ok: false, problem: { kind: 'offline' } })
    expect(requests).toEqual([])
    expect(problems).toEqual(['offline'])
  })
})

describe('a call without a response of the service', () => {
  it('returns "unreachable" when fetch fails (ERR11)', async () => {
    installFakeFetch(() => 'no connection')
    expect(await call('listApplications')).toEqual({
      ok: false,
      problem: { kind: 'unreachable', cause: 'no-answer' },
    })
    expect(reaches).toEqual(['no-answer'])
  })

  it.each([
    ['a page of a captive portal', { text: '<html>Sign in to the Wi-Fi</html>' }],
    ['a redirect to another address', { json: { data: [] }, redirected: true }],
    ['status 511', { status: 511, json: {} }],
    ['a 404 page of another server', { status: 404, text: '<html>' }],
  ])('returns "unreachable" for %s (D34)', async (_name, answer) => {
    installFakeFetch(() => answer)
    expect(await call('listApplications')).toEqual({
      ok: false,
      problem: { kind: 'unreachable', cause: 'foreign' },
    })
    expect(reaches).toEqual(['foreign'])
  })

  it('says that a problem is of a background call (S29, D89)', async () => {
    installFakeFetch(() => 'no connection')
    await call('version', {}, { background: true })
    expect(problems).toEqual(['unreachable in the background'])
  })
})

describe('an exception during a call', () => {
  it('throws the TypeError of a decoder and reports nothing about the connection (D34)', async () => {
    installFakeFetch(() => applications)
    const fault = new TypeError('x is not a function')
    // oxlint-disable-next-line no-underscore-dangle -- the only place where a schema can be made to throw
    vi.spyOn(endpoints.listApplications.answer._zod, 'run').mockImplementation(() => {
      throw fault
    })
    await expect(call('listApplications')).rejects.toBe(fault)
    expect([reaches, problems]).toEqual([[], []])
  })

  it('throws when a header cannot carry its value, and sends nothing (D34)', async () => {
    const requests = installFakeFetch(() => applications)
    await expect(call('createApplication', {}, { key: '\u2713' })).rejects.toThrow(TypeError)
    expect([requests, reaches, problems]).toEqual([[], [], []])
  })

  it('returns "unreachable" when the connection breaks while the body arrives (ERR11)', async () => {
    const broken = new Response(
      new ReadableStream({ pull: body => body.error(new TypeError('network error')) }),
    )
    vi.stubGlobal('fetch', async () => broken)
    expect(await call('listApplications')).toEqual({
      ok: false,
      problem: { kind: 'unreachable', cause: 'no-answer' },
    })
    expect(reaches).toEqual(['no-answer'])
  })
})

describe('a call that the service is too busy to begin (D92)', () => {
  const busy = {
    status: 503,
    headers: { 'retry-after': '12' },
    json: { statusCode: 503, reason: 'busy', message: 'busy', data: { statusCode: 503 } },
  }

  it('is sent again with the same body and key after Retry-After, and reports no problem', async () => {
    let isBusy = true
    const requests = installFakeFetch(() => (isBusy ? busy : { json: { data: {} } }))
    const pending = call(
      'saveData',
      { params: { id: ApplicationId.parse('a1') }, body: { surname: 'NGO' } },
      { key: 'key-of-save' },
    )
    await eventually(() => expect(requests).toHaveLength(1))
    await eventually(() => expect(reaches).toHaveLength(1))
    await device.advance(11_000)
    expect(requests).toHaveLength(1)
    isBusy = false
    await device.advance(1_000)
    expect(await pending).toMatchObject({ ok: true })
    expect(requests.map(({ body, headers }) => [body, headers.get('idempotency-key')])).toEqual([
      [{ surname: 'NGO' }, 'key-of-save'],
      [{ surname: 'NGO' }, 'key-of-save'],
    ])
    expect(problems).toEqual([])
  })

  it('fails at once in the background, with the seconds, and announces no next try', async () => {
    const requests = installFakeFetch(() => busy)
    const result = await call('version', {}, { background: true })
    expect(result).toMatchObject({ ok: false, problem: { kind: 'broken', retryAfterSeconds: 12 } })
    expect([requests.length, announced]).toEqual([1, [undefined]])
  })

  it('is sent again also after a refresh of the session (S83)', async () => {
    const answers = [{ status: 401, json: { statusCode: 401, message: 'no' } }, busy, applications]
    const requests = installFakeFetch(() => answers.shift() ?? applications)
    const pending = call('listApplications')
    await eventually(() => expect(announced).toEqual([undefined, 12]))
    await device.advance(12_000)
    expect(await pending).toMatchObject({ ok: true })
    expect([requests.length, problems]).toEqual([3, []])
  })

  it('announces a next try only as often as it is sent again', async () => {
    const requests = installFakeFetch(() => busy)
    const pending = call('listApplications')
    for (let tries = 1; tries < 20; tries += 1) {
      await eventually(() => expect(announced).toHaveLength(tries))
      await device.advance(12_000)
    }
    expect(await pending).toMatchObject({ ok: false })
    expect([requests.length, problems]).toEqual([20, ['broken']])
    expect(announced).toEqual([...Array.from({ length: 19 }, () => 12), undefined])
  })

  it('is not sent again when the session has ended or the service fails in another way', async () => {
    const requests = installFakeFetch(() => busy)
    const pending = call('listApplications')
    await eventually(() => expect(reaches).toHaveLength(1))
    endCount += 1
    await device.advance(12_000)
    expect(await pending).toMatchObject({ ok: false })
    expect(requests).toHaveLength(1)
    const { json } = busy
    installFakeFetch(() => ({ ...busy, json: { ...json, reason: 'unavailable' } }))
    expect(await call('auth')).toMatchObject({ ok: false, problem: { reason: 'unavailable' } })
  })
})
