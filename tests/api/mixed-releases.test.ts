import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAnswerMarks } from '#api/answer-marks.ts'
import { type Call, createCall } from '#api/client.ts'
import type { Reach } from '#api/result.ts'
import { digestOf, formatAnswerMark } from '#contract/answer-mark.ts'
import { answerMarkHeader, answerNonceHeader } from '#contract/codes.ts'
import { ApplicationId } from '#contract/ids.ts'
import { createConnectivity, type Connectivity } from '#sync/connectivity.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { type FakeRequest, installFakeFetch } from '#support/providers/fake-fetch.ts'
import { eventually } from '#support/eventually.ts'

/** `new` repeats the nonce of the request in its marks (D60); `old` marks without it. */
type Release = 'new' | 'old'

const params = { id: ApplicationId.parse('a1') }
const query = { applicantId: 'a1' }

let device: FakeDevice
let call: Call
let connectivity: Connectivity
/** The release that answers each of the next requests; the last one answers all later ones. */
let releases: Release[]
let requests: FakeRequest[]
/** What each attempt (`onReached`) has said about the connection. The requests that `sendRequest` repeats are one attempt. */
let reaches: Reach[]

beforeEach(async () => {
  device = createFakeDevice()
  reaches = []
  connectivity = createConnectivity(device, () => call('version', {}, { background: true }))
  call = createCall({
    device,
    origin: '',
    token: () => 'token',
    refreshSession: async () => false,
    watchSessionEnd: () => () => false,
    onProblem: () => undefined,
    onReached(reach) {
      reaches.push(reach)
      connectivity.reportResponse(reach)
    },
    answerMarks: createAnswerMarks(device),
  })
  requests = installFakeFetch(answer)
  releases = ['new']
  await call('version')
  requests.length = 0
  reaches.length = 0
})
afterEach(() => vi.unstubAllGlobals())

async function answer({ url, headers }: FakeRequest) {
  const release = (releases.length > 1 ? releases.shift() : releases[0]) ?? 'new'
  const text = bodyOf(url, release)
  const digest = await digestOf(new TextEncoder().encode(text))
  const nonce = release === 'new' ? (headers.get(answerNonceHeader) ?? undefined) : undefined
  return { text, headers: { [answerMarkHeader]: formatAnswerMark({ release, epoch: 'e', digest, nonce }) } }
}

function bodyOf(url: string, release: Release): string {
  const features = release === 'new' ? ['answerMark', 'answerNonce'] : ['answerMark']
  if (url.endsWith('/version')) return JSON.stringify({ data: { version: '1', features } })
  return JSON.stringify({ data: url.includes('/applications?') ? [] : { version: 2 } })
}

describe('call, while processes of two releases answer, as during an upgrade (D36, D60)', () => {
  it('repeats a read, and a write with a key, until the new release answers, and the service never counts as unreachable', async () => {
    releases = ['old', 'new']
    expect(await call('listApplications', { query })).toMatchObject({ ok: true })
    releases = ['old', 'old', 'new']
    expect(await call('saveData', { params }, { key: 'key-1' })).toMatchObject({ ok: true })
    expect(reaches).toEqual(['answered', 'answered'])
    expect(connectivity.isUnreachable()).toBe(false)
    expect(requests.slice(2).map(request => request.headers.get('idempotency-key'))).toEqual(
      Array.from({ length: 3 }, () => 'key-1'),
    )
    expect(new Set(requests.map(request => request.headers.get(answerNonceHeader))).size).toBe(5)
  })

  it('does not repeat a write without a key, because the first one may have had its effect', async () => {
    releases = ['old', 'new']
    expect(await call('logout')).toMatchObject({ ok: false, problem: { kind: 'unreachable' } })
    expect(requests).toHaveLength(1)
  })

  it('sends a request three times at most when only an older release answers', async () => {
    releases = ['old']
    expect(await call('listApplications', { query })).toMatchObject({ problem: { kind: 'unreachable' } })
    expect(requests).toHaveLength(3)
  })
})

describe('the connectivity after a rollback to a release that knows no nonce (D36, D60)', () => {
  it('is restored by the first probe, which notices the old release, and calls succeed again', async () => {
    releases = ['old']
    expect(await call('saveData', { params }, { key: 'key-1' })).toMatchObject({ ok: false })
    expect(connectivity.isUnreachable()).toBe(true)
    await device.advance(2_000)
    await eventually(() => expect(connectivity.isUnreachable()).toBe(false))
    expect(await call('saveData', { params }, { key: 'key-1' })).toMatchObject({ ok: true })
    expect(await call('logout')).toMatchObject({ ok: true })
  })
})
