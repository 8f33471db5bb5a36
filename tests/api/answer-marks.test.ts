import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAnswerMarks } from '#api/answer-marks.ts'
import { type Call, createCall } from '#api/client.ts'
import { digestOf, formatAnswerMark } from '#contract/answer-mark.ts'
import { answerMarkHeader, answerNonceHeader } from '#contract/codes.ts'
import type { Reach, UnreachableCause } from '#api/result.ts'
import { ApplicationId } from '#contract/ids.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { type FakeRequest, installFakeFetch } from '#support/providers/fake-fetch.ts'

/** `nonce`: the one that the mark repeats; undefined for a mark of an older release. */
type Given = {
  status?: number
  text: string
  mark?: 'valid' | 'of another body' | 'unreadable'
  nonce?: 'of this request' | 'of an earlier request'
}

const params = { id: ApplicationId.parse('a1') }
const wholeFile = `%PDF-1.7\n${'x'.repeat(2_000)}\n%%EOF\n`
const marking = JSON.stringify({ data: { version: '1', features: ['answerMark'] } })
const binding = JSON.stringify({ data: { version: '1', features: ['answerMark', 'answerNonce'] } })
const notMarking = JSON.stringify({ data: { version: '1', features: ['drafts'] } })

let device: FakeDevice
let call: Call
let given: Given
/** What each attempt (`onReached`) has said about the connection. */
let reaches: Reach[]
let headers: Record<string, string>
let requests: FakeRequest[]
let learned: number

beforeEach(() => {
  device = createFakeDevice()
  call = createCallOn(device)
  reaches = []
  learned = 0
  requests = installFakeFetch(request => ({
    status: given.status ?? 200,
    text: given.text,
    headers: withNonce(request),
  }))
})
afterEach(() => vi.unstubAllGlobals())

function createCallOn(on: FakeDevice): Call {
  return createCall({
    device: on,
    origin: '',
    token: () => 'token',
    refreshSession: async () => false,
    watchSessionEnd: () => () => false,
    onProblem: () => undefined,
    onReached: reach => reaches.push(reach),
    answerMarks: createAnswerMarks(on),
    onMarkLearned: () => (learned += 1),
  })
}

/** The headers of the answer, with the nonce in its mark. */
function withNonce(request: FakeRequest): Record<string, string> {
  const mark = headers[answerMarkHeader]
  if (mark === undefined || given.nonce === undefined) return headers
  const ownNonce = request.headers.get(answerNonceHeader)
  const nonce = given.nonce === 'of this request' ? ownNonce : 'AAAAAAAAAAA'
  return { ...headers, [answerMarkHeader]: `${mark} ${nonce}` }
}

async function answerWith(answer: Given): Promise<void> {
  given = answer
  const body = answer.mark === 'of another body' ? 'another body' : answer.text
  const digest = await digestOf(new TextEncoder().encode(body))
  headers = {}
  if (answer.mark === 'unreadable') headers[answerMarkHeader] = 'yes'
  else if (answer.mark) headers[answerMarkHeader] = formatAnswerMark({ release: '1', epoch: 'e', digest })
}

async function learnVersion(text: string, mark?: 'valid', nonce?: Given['nonce']): Promise<void> {
  await answerWith({ text, ...(mark && { mark }), ...(nonce && { nonce }) })
  expect(await call('version')).toMatchObject({ ok: true })
}

describe('with a server that marks its answers (D60)', () => {
  beforeEach(() => learnVersion(marking, 'valid'))

  it.each<[string, UnreachableCause, Given]>([
    ['an empty 200', 'foreign', { text: '' }],
    ['an empty 204', 'foreign', { status: 204, text: '' }],
    ['the JSON of a captive portal', 'foreign', { text: '{"login":"need"}' }],
    ['an empty envelope', 'foreign', { text: '{"data":{}}' }],
    ['a page', 'foreign', { text: '<html></html>' }],
    ['a stray 404', 'foreign', { status: 404, text: '' }],
    ['a stray 403 with JSON', 'foreign', { status: 403, text: '{"message":"blocked"}' }],
    ['a stray 401', 'foreign', { status: 401, text: '{"statusCode":401}' }],
    ['a stray 413 of a proxy', 'foreign', { status: 413, text: '{}' }],
    ['a stray 503', 'no-answer', { status: 503, text: '{"statusCode":503}' }],
    ['a body that was cut off', 'no-answer', { text: '{"data":{}}', mark: 'of another body' }],
    ['an unreadable mark', 'no-answer', { text: '{"data":{}}', mark: 'unreadable' }],
  ])('takes %s for a lost connection, for a save, a confirmation and a log-out', async (_, cause, answer) => {
    await answerWith(answer)
    reaches = []
    const unreachable = { ok: false, problem: { kind: 'unreachable', cause } }
    expect(await call('saveData', { params })).toEqual(unreachable)
    expect(await call('confirmData', { params })).toEqual(unreachable)
    expect(await call('logout')).toEqual(unreachable)
    expect(reaches).toEqual([cause, cause, cause])
  })

  it('accepts an answer and a refusal with a valid mark', async () => {
    await answerWith({ text: '{"data":{"version":2}}', mark: 'valid' })
    expect(await call('saveData', { params })).toEqual({ ok: true, value: { data: { version: 2 } } })
    await answerWith({ status: 404, text: '{"statusCode":404,"reason":"not-found"}', mark: 'valid' })
    expect(await call('saveData', { params })).toMatchObject({ problem: { kind: 'refused', status: 404 } })
  })

  it('accepts a list without a mark, because the service worker may answer it from its cache (D35)', async () => {
    await answerWith({ text: '{"data":{"data":[]}}' })
    expect(await call('listCountries')).toMatchObject({ ok: true })
  })

  it.each<[string, UnreachableCause, Given]>([
    ['a page with status 503', 'no-answer', { status: 503, text: '<html></html>' }],
    ['an empty 404', 'foreign', { status: 404, text: '' }],
  ])('takes %s without a mark for a lost connection, for a list too', async (_, cause, answer) => {
    await answerWith(answer)
    expect(await call('listCountries')).toEqual({ ok: false, problem: { kind: 'unreachable', cause } })
  })

  it('still requires marks after the next start of the portal', async () => {
    call = createCallOn(device)
    await answerWith({ text: '{"data":{}}' })
    expect(await call('saveData', { params })).toMatchObject({ problem: { kind: 'unreachable' } })
  })

  it.each([
    ['{"version":"2.1","login":"need"}'],
    ['{"data":{"version":"2.1"}}'],
    ['{"data":{"version":"2.1","features":[]}}'],
  ])('still requires marks when a router answers /version with %s', async router => {
    await answerWith({ text: router })
    const unreachable = { ok: false, problem: { kind: 'unreachable', cause: 'foreign' } }
    expect(await call('version')).toEqual(unreachable)
    expect(await call('readData', { params })).toEqual(unreachable)
    expect(await call('saveData', { params })).toEqual(unreachable)
    expect(await call('logout')).toEqual(unreachable)
  })

  it('accepts answers without a mark when an older release runs on the server again', async () => {
    await learnVersion(notMarking)
    await answerWith({ text: '{"data":{"version":2}}' })
    expect(await call('saveData', { params })).toMatchObject({ ok: true })
  })
})

describe('with a server whose marks are bound to their requests (D60)', () => {
  const list = '{"data":[]}'
  const query = { applicantId: 'a1' }
  const noAnswer = { ok: false, problem: { kind: 'unreachable', cause: 'no-answer' } }

  beforeEach(() => learnVersion(binding, 'valid', 'of this request'))

  it('sends another nonce with each request, also when the same call is made again', async () => {
    await answerWith({ text: list, mark: 'valid', nonce: 'of this request' })
    for (let sent = 0; sent < 3; sent += 1)
      expect(await call('listApplications', { query })).toMatchObject({ ok: true })
    const nonces = requests.map(request => request.headers.get(answerNonceHeader))
    expect(new Set(nonces).size).toBe(4)
    expect(nonces.every(nonce => nonce !== null && /^[\w-]{11}$/.test(nonce))).toBe(true)
  })

  it.each<[string, Given]>([
    ['an old list of applications', { text: list, mark: 'valid', nonce: 'of an earlier request' }],
    ['a list of before the upgrade of the server', { text: list, mark: 'valid' }],
    [
      'an old refusal',
      {
        status: 404,
        text: '{"statusCode":404,"reason":"not-found"}',
        mark: 'valid',
        nonce: 'of an earlier request',
      },
    ],
  ])('takes %s, which a proxy gives again, for a lost connection', async (_, answer) => {
    await answerWith(answer)
    expect(await call('listApplications', { query })).toEqual(noAnswer)
    expect(reaches.at(-1)).toBe('no-answer')
  })

  it('does not believe an old answer to a log-out or an old receipt', async () => {
    await answerWith({ text: '{}', mark: 'valid', nonce: 'of an earlier request' })
    expect(await call('logout')).toEqual(noAnswer)
    await answerWith({ text: wholeFile, mark: 'valid', nonce: 'of an earlier request' })
    expect(await call('getPdf', { params })).toEqual(noAnswer)
    await answerWith({ status: 304, text: '', mark: 'valid', nonce: 'of an earlier request' })
    expect(await call('getPdf', { params }, { cachedFile: new Blob([wholeFile]) })).toEqual(noAnswer)
  })

  it('keeps the receipt of this phone when the server marks for this request that it has not changed (D37)', async () => {
    const cachedFile = new Blob([wholeFile])
    await answerWith({ status: 304, text: '', mark: 'valid', nonce: 'of this request' })
    expect(await call('getPdf', { params }, { cachedFile })).toEqual({ ok: true, value: cachedFile })
  })

  it('sends no nonce for a public list, which the service worker may answer from its cache (D35)', async () => {
    await answerWith({ text: '{"data":{"data":[]}}', mark: 'valid' })
    expect(await call('listCountries')).toMatchObject({ ok: true })
    expect(requests.at(-1)?.headers.has(answerNonceHeader)).toBe(false)
  })

  it('still requires the nonce after the next start of the portal', async () => {
    call = createCallOn(device)
    await answerWith({ text: '{"data":{"version":2}}', mark: 'valid' })
    expect(await call('saveData', { params })).toEqual(noAnswer)
  })

  it('accepts marks without a nonce when an older release runs on the server again', async () => {
    await learnVersion(marking, 'valid')
    await answerWith({ text: '{"data":{"version":2}}', mark: 'valid' })
    expect(await call('saveData', { params })).toMatchObject({ ok: true })
  })

  it('accepts marks without a nonce where a proxy does not pass the nonce on', async () => {
    await learnVersion(binding, 'valid')
    await answerWith({ text: '{"data":{"version":2}}', mark: 'valid' })
    expect(await call('saveData', { params })).toMatchObject({ ok: true })
  })

  it('refuses an old answer to /version, from before an upgrade of the server, which a proxy gives again', async () => {
    await answerWith({ text: marking, mark: 'valid', nonce: 'of an earlier request' })
    expect(await call('version')).toEqual(noAnswer)
  })
})

describe('before the server has said that its marks are bound (D60)', () => {
  it('learns it from the mark of the answer to a save', async () => {
    await answerWith({ text: '{"data":{"version":2}}', mark: 'valid', nonce: 'of this request' })
    expect(await call('saveData', { params })).toMatchObject({ ok: true })
    await answerWith({ text: '{}', mark: 'valid' })
    expect(await call('logout')).toMatchObject({ problem: { kind: 'unreachable' } })
  })
})

describe('before the server has said that it marks (D60)', () => {
  const router = '{"version":"2.1"}'
  const captive = '{"login":"need"}'

  it('learns it from the mark of the answer to a save, so that the JSON of a captive portal confirms no log-out', async () => {
    await answerWith({ text: '{"data":{"version":2}}', mark: 'valid' })
    expect(await call('saveData', { params })).toMatchObject({ ok: true })
    await answerWith({ text: captive })
    expect(await call('logout')).toMatchObject({ problem: { kind: 'unreachable', cause: 'foreign' } })
    call = createCallOn(device)
    expect(await call('logout')).toMatchObject({ problem: { kind: 'unreachable', cause: 'foreign' } })
  })

  it('reports once, at the first mark, that the answer to /version before it may be of a router', async () => {
    await answerWith({ text: router })
    expect(await call('version')).toMatchObject({ ok: true })
    expect(learned).toBe(0)
    await answerWith({ text: '{"data":{"version":2}}', mark: 'valid' })
    await call('saveData', { params })
    await call('saveData', { params })
    expect(learned).toBe(1)
    await answerWith({ text: router })
    expect(await call('version')).toMatchObject({ problem: { kind: 'unreachable', cause: 'foreign' } })
  })

  it('learns nothing from a list, which the service worker may have of a server before a rollback', async () => {
    await learnVersion(notMarking)
    await answerWith({ text: '{"data":{"data":[]}}', mark: 'valid' })
    expect(await call('listCountries')).toMatchObject({ ok: true })
    await answerWith({ text: '{"data":{"version":2}}' })
    expect(await call('saveData', { params })).toMatchObject({ ok: true })
  })

  it('reports nothing when the answer to /version itself has the first mark', async () => {
    await learnVersion(marking, 'valid')
    expect(learned).toBe(0)
  })
})

describe('a receipt (D37, D60)', () => {
  it.each<[string, Given]>([
    ['a page', { text: '<html></html>' }],
    ['an empty file', { text: '' }],
    ['a file that was cut off', { text: wholeFile.slice(0, 1_500) }],
  ])('is not %s, when the server does not mark its answers', async (_, answer) => {
    await learnVersion(notMarking)
    await answerWith(answer)
    expect(await call('getPdf', { params })).toMatchObject({ ok: false, problem: { kind: 'unreachable' } })
  })

  it('is a whole PDF', async () => {
    await answerWith({ text: wholeFile, mark: 'valid' })
    const result = await call('getPdf', { params })
    expect(result.ok && (await result.value.text())).toBe(wholeFile)
  })

  it('stays the one of this phone when the server marks that it has not changed', async () => {
    const cachedFile = new Blob([wholeFile])
    await answerWith({ status: 304, text: '', mark: 'valid' })
    expect(await call('getPdf', { params }, { cachedFile })).toEqual({ ok: true, value: cachedFile })
    const digest = await digestOf(new TextEncoder().encode(wholeFile))
    expect(requests.at(-1)?.headers.get('if-none-match')).toBe(`"${digest}"`)
  })

  it('is not loaded when something else says that it has not changed', async () => {
    await answerWith({ status: 304, text: '' })
    const result = await call('getPdf', { params }, { cachedFile: new Blob([wholeFile]) })
    expect(result).toMatchObject({ ok: false, problem: { kind: 'unreachable' } })
  })
})
