// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { type FormValues, readForm, toWire } from '#contract/application.ts'
import { digestOf, formatAnswerMark } from '#contract/answer-mark.ts'
import { answerMarkHeader, answerNonceHeader } from '#contract/codes.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import type { FakeRequest } from '#support/providers/fake-fetch.ts'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'

let portal: Portal
afterEach(() => portal.close())

/** `new` repeats the nonce of a request in its mark (D60); `old` marks without a nonce; `unmarked` has no marks yet. */
type Release = 'new' | 'old' | 'unmarked'

type Server = {
  form: FormValues
  version: number
  answers: Map<string, object>
  releaseOf: () => Release
  /** Requests that have no answer yet. */
  open: number
}

/** Opens the form in front of servers that share one database. */
async function openForm(releaseOf: () => Release): Promise<Server> {
  const server: Server = {
    form: readForm(toWire(firstPassport)),
    version: 1,
    answers: new Map(),
    releaseOf,
    open: 0,
  }
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    answer(request) {
      const given = answer(server, request)
      server.open += 1
      void Promise.resolve(given).finally(() => (server.open -= 1))
      return given
    },
  })
  portal.device.withLock = createWaitingLocks()
  await portal.see(() => expect(portal.named('surname').value).toBe(firstPassport.surname))
  return server
}

function answer(server: Server, request: FakeRequest) {
  const path = new URL(request.url, 'http://portal.test').pathname.replace('/api/v1', '')
  const release = server.releaseOf()
  const features = {
    new: ['drafts', 'answerMark', 'answerNonce'],
    old: ['drafts', 'answerMark'],
    unmarked: ['drafts'],
  }
  if (path === '/version')
    return marked(
      { version: '1', time: '2026-06-15T09:00:00Z', features: features[release] },
      release,
      request,
    )
  if (path === '/applications')
    return marked([{ id: 'app-1', applicationNumber: 'PP-1', currentState: 'NEW' }], release, request)
  if (path !== '/applications/app-1/data') return undefined
  const { form, version } = server
  if (request.method === 'GET')
    return marked(
      { ...toWire(form), additionalData: '', version, epoch: 'e', currentState: 'NEW' },
      release,
      request,
    )
  return saved(server, release, request)
}

async function saved(server: Server, release: Release, request: FakeRequest) {
  const key = request.headers.get('idempotency-key') ?? ''
  const known = server.answers.get(key)
  if (known) return marked(known, release, request)
  Object.assign(server, { form: readForm(request.body), version: server.version + 1 })
  const { form, version } = server
  const data = { version, epoch: 'e', currentState: 'NEW', digest: await digestOfForm(form, version) }
  server.answers.set(key, data)
  return marked(data, release, request)
}

async function marked(data: object, release: Release, { headers }: FakeRequest) {
  const text = JSON.stringify({ data })
  if (release === 'unmarked') return { text }
  const digest = await digestOf(new TextEncoder().encode(text))
  const nonce = release === 'new' ? (headers.get(answerNonceHeader) ?? undefined) : undefined
  return { text, headers: { [answerMarkHeader]: formatAnswerMark({ release, epoch: 'e', digest, nonce }) } }
}

/** Waits until no request is open and the page has sent none for at least 50 ms. */
async function whenAnswered(server: Server) {
  let sent = -1
  await portal.see(async () => {
    const before = sent
    sent = portal.requests.length
    // An answer may start the next request only in a later task.
    await new Promise(resolve => setTimeout(resolve, 50))
    expect([server.open, sent]).toEqual([0, before])
  })
}

describe('a form that is typed while two releases answer (D36, D60)', () => {
  it.each<[string, Release[], Release]>([
    ['the upgrade ends', ['old', 'new'], 'new'],
    ['all servers go back', ['new', 'new', 'old'], 'old'],
    ['the upgrade of unmarked servers ends', ['unmarked', 'new'], 'new'],
    ['all servers go back to a release without marks', ['new', 'unmarked'], 'unmarked'],
  ])('loses nothing, and all of it is sent when %s', async (_, turns, last) => {
    let turn = 0
    let isMixed = false
    let current: Release = turns[0] ?? 'new'
    const server = await openForm(() => (isMixed ? (turns[(turn += 1) % turns.length] ?? current) : current))
    isMixed = true
    for (const surname of ['A', 'Ab', 'Abc', 'Abcd', 'Abcde']) {
      portal.answer('surname', surname)
      await portal.see(async () =>
        expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe(surname),
      )
      await portal.device.advance(20_000)
    }
    isMixed = false
    current = last
    // Ends about 340 s after the start: after 450 s the page would refresh its access token.
    for (let minute = 0; minute < 4; minute += 1) {
      await portal.device.advance(60_000)
      await whenAnswered(server)
    }
    // A busy machine may set the timer of the last try only after the last minute.
    await portal.see(async () => {
      await portal.device.advance(100)
      expect(portal.services.sync.status('app-1').kind).toBe('sent')
    })
    expect(server.form).toEqual({ ...readForm(toWire(firstPassport)), surname: 'Abcde' })
    expect(portal.services.connectivity.isUnreachable()).toBe(false)
    expect(portal.named('surname').value).toBe('Abcde')
  })
})
