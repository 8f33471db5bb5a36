import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Call, createCall } from '#api/client.ts'
import type { Problem } from '#api/result.ts'
import { ApplicationId } from '#contract/ids.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let device: FakeDevice
let call: Call
let token: string | undefined
let renewals: number
let problems: Problem['kind'][]
let reached: boolean[]

beforeEach(() => {
  device = createFakeDevice()
  token = 'first'
  renewals = 0
  problems = []
  reached = []
  call = createCall({
    device,
    origin: '',
    token: () => token,
    async refreshSession() {
      renewals += 1
      token = 'second'
      return true
    },
    onProblem: problem => problems.push(problem.kind),
    onReached: answered => reached.push(answered),
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

const applications = { json: { data: [] } }

describe('a call', () => {
  it('carries the bearer token where the applicant is meant (SES01)', async () => {
    const asked = installFakeFetch(() => applications)
    await call('listApplications', { query: { applicantId: 'ap 1' } })
    expect(asked[0]?.url).toBe('/api/v1/applications?applicantId=ap+1')
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer first')
  })

  it('of the sign-in pages carries none (SES02)', async () => {
    const asked = installFakeFetch(() => ({ json: { data: { statusCode: 0 } } }))
    await call('auth', { query: { lg: 'fr' }, body: { msisdn: '237671234567' } })
    await call('version')
    expect(asked.map(({ headers }) => headers.get('authorization'))).toEqual([null, null])
  })

  it('sends the key of its intent (D13), and its parameters in the address', async () => {
    const asked = installFakeFetch(() => ({ json: { data: {} } }))
    await call('saveData', { params: { id: ApplicationId.parse('a1') } }, { key: 'k' })
    expect(asked[0]?.url).toBe('/api/v1/applications/a1/data')
    expect(asked[0]?.headers.get('idempotency-key')).toBe('k')
  })

  it('that meets 401 renews once and is tried once more (S83)', async () => {
    const asked = installFakeFetch(({ headers }) =>
      headers.get('authorization') === 'Bearer second'
        ? applications
        : { status: 401, json: { statusCode: 401, message: 'no' } },
    )
    expect(await call('listApplications')).toMatchObject({ ok: true })
    expect([asked.length, renewals]).toEqual([2, 1])
  })

  it('that meets 401 again gives up (S83)', async () => {
    const asked = installFakeFetch(() => ({ status: 401, json: { statusCode: 401, message: 'no' } }))
    expect(await call('listApplications')).toMatchObject({ ok: false, problem: { status: 401 } })
    expect([asked.length, problems]).toEqual([2, ['refused']])
  })

  it('that writes does not go out while the device says it is offline (S19)', async () => {
    const asked = installFakeFetch(() => applications)
    device.setOnline(false)
    expect(await call('createApplication')).toEqual({ ok: false, problem: { kind: 'offline' } })
    expect(asked).toEqual([])
    expect(problems).toEqual(['offline'])
  })
})

describe('no answer', () => {
  it('is what a dead line gives (ERR11)', async () => {
    installFakeFetch(() => 'no line')
    expect(await call('listApplications')).toEqual({ ok: false, problem: { kind: 'unreachable' } })
    expect(reached).toEqual([false])
  })

  it.each([
    ['a page of the network', { text: '<html>Sign in to the Wi-Fi</html>' }],
    ['a forward to somewhere else', { json: { data: [] }, redirected: true }],
    ['status 511', { status: 511, json: {} }],
    ['somebody else’s 404', { status: 404, text: '<html>' }],
  ])('is what %s stands for (D34)', async (_name, answer) => {
    installFakeFetch(() => answer)
    expect(await call('listApplications')).toEqual({ ok: false, problem: { kind: 'unreachable' } })
    expect(reached).toEqual([false])
  })

  it('of a background call is not announced (S29)', async () => {
    installFakeFetch(() => 'no line')
    await call('version', {}, { background: true })
    expect(problems).toEqual([])
  })
})
