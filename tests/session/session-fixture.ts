import { expect, vi } from 'vitest'
import { createAnswerMarks } from '#api/answer-marks.ts'
import { createCall, loadResponseReader } from '#api/client.ts'
import type { TokenClaims } from '#contract/session.ts'
import { doNothing } from '#device/do-nothing.ts'
import { createSession, type Session, type SessionEndReason } from '#session/session.ts'
import type { DeviceUse } from '#store/device-use.ts'
import { makeToken } from '#support/data/access-token.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { type FakeRequest, installFakeFetch } from '#support/providers/fake-fetch.ts'

export type SessionFixture = Awaited<ReturnType<typeof openSessionFixture>>

type SessionHooks = { onOpen?: () => Promise<void>; onEnd?: (opened?: Promise<void>) => Promise<void> }

/**
 * A page without a session on a fake device, with a fake server. The fields say what the server and the hooks of the session
 * answer, and record what they were asked: a test reads and sets them. After the test call `vi.unstubAllGlobals`.
 */
export async function openSessionFixture() {
  // A hydrated page has loaded the response reader.
  await loadResponseReader()
  const fields = createFields()
  fields.requests = installFakeFetch(({ url }) => answer(fields, url))
  const { device } = fields

  /** Opens another tab, of the same browser unless the test gives its device. */
  function openTab(tab: FakeDevice = device, hooks: SessionHooks = {}): Session {
    return createTab(fields, tab, hooks)
  }

  const session = openTab()

  return Object.assign(fields, {
    session,
    openTab,

    /** Signs in in another tab. This tab has a fake device of its own, whose texts of the session go to `device`. */
    async signInElsewhere(applicantId: string) {
      const tab = createFakeDevice()
      tab.randomId() // so that the session gets another id than the first session
      await openTab(tab).begin({ token: makeToken({ applicantId }) })
      for (const key of ['session', 'session-id', 'activity']) device.saveText(key, tab.readText(key))
    },

    /**
     * Logs out in one of two tabs, and empties `endings`. Returns the other tab, which has not received the message yet, and
     * that message.
     */
    async logOutInOneOfTwoTabs() {
      await session.begin({ token: makeToken() })
      const other = openTab()
      await other.ready()
      await session.logOut()
      const [message] = device.broadcasts
      if (!message) throw new Error('the log-out was not broadcast')
      fields.endings = []
      return { other, message }
    },

    /** The log-out waits for its writes. Returns the function that ends the wait. */
    holdWrites(): () => void {
      let finish = doNothing
      fields.writesFinished = new Promise(resolve => (finish = resolve))
      return finish
    },

    /** How many log-outs were sent. */
    logOuts: () => fields.requests.filter(({ url }) => url.endsWith('/logout')).length,
  })
}

type FixtureFields = {
  readonly device: FakeDevice
  endings: SessionEndReason[]
  deviceUse: DeviceUse
  /** The runs of the hook that sends unsent drafts before a log-out. */
  draftSends: { token: string | undefined; at: number }[]
  /** The hook that sends unsent drafts ends when this promise resolves. */
  draftsSent: Promise<void>
  /** The hook that finishes writes ends when this promise resolves. */
  writesFinished: Promise<void>
  /** The token of each run of the hook that finishes writes. */
  finishedWith: (string | undefined)[]
  hasUnsentDrafts: boolean
  /** The hook that finds unsent drafts ends when this promise resolves. */
  unsentFound: Promise<void>
  /** How often the hook that finds unsent drafts has begun. */
  finds: number
  /** The hook that locks unsent drafts ends when this promise resolves. */
  unsentLocked: Promise<void>
  /** The hook that locks the drafts of other applicants ends when this promise resolves. */
  othersLocked: Promise<void>
  /** The hooks that lock drafts, in the order of their start. */
  locks: ('unsent' | 'others')[]
  /** Whether the device holds locked drafts, of any applicant. */
  hasLockedDrafts: boolean
  /** What the server answers to a log-out. */
  logOutAnswer: 'confirmed' | 'no connection' | 'unavailable' | 'hangs'
  /** What the server answers to a refresh of the token. */
  refreshAnswer: 'renewed' | 'refused' | 'no connection' | 'hangs'
  /** The requests that were sent, until the test installs another fake `fetch`. */
  requests: FakeRequest[]
  cachedClaims: TokenClaims | undefined
  /** The secrets that a refreshed token brings. */
  refreshedKeys: { draftKey?: string; previousDraftKey?: string }
  /** How often a session called the hook that unlocks the store, also when the hook failed. */
  unlockCount: number
}

function createFields(): FixtureFields {
  return {
    device: createFakeDevice(),
    endings: [],
    deviceUse: { kind: 'own' },
    draftSends: [],
    draftsSent: Promise.resolve(),
    writesFinished: Promise.resolve(),
    finishedWith: [],
    hasUnsentDrafts: false,
    unsentFound: Promise.resolve(),
    finds: 0,
    unsentLocked: Promise.resolve(),
    othersLocked: Promise.resolve(),
    locks: [],
    hasLockedDrafts: false,
    logOutAnswer: 'confirmed',
    refreshAnswer: 'renewed',
    requests: [],
    cachedClaims: undefined,
    refreshedKeys: {},
    unlockCount: 0,
  }
}

/** The response of the server to the request of `url`. */
function answer({ logOutAnswer, refreshAnswer, requests, refreshedKeys }: FixtureFields, url: string) {
  if (url.endsWith('/logout')) {
    if (logOutAnswer === 'no connection' || logOutAnswer === 'hangs') return logOutAnswer
    return logOutAnswer === 'confirmed' ? {} : { status: 503, json: { statusCode: 503 } }
  }
  if (!url.endsWith('/refresh-token')) return {}
  if (refreshAnswer === 'no connection' || refreshAnswer === 'hangs') return refreshAnswer
  if (refreshAnswer === 'refused') return { status: 401, json: { statusCode: 401, message: 'no' } }
  return { json: { data: { token: makeToken({ jti: requests.length }), ...refreshedKeys } } }
}

function createTab(fields: FixtureFields, tab: FakeDevice, { onOpen, onEnd }: SessionHooks): Session {
  const call = createCall({
    device: tab,
    origin: '',
    token: () => session.token(),
    refreshSession: () => session.refresh(),
    watchSessionEnd: () => session.watchEnd(),
    onProblem: () => undefined,
    onReached: () => undefined,
    answerMarks: createAnswerMarks(fields.device),
    isShared: () => fields.deviceUse.kind !== 'own',
  })
  const session: Session = createSession({
    device: tab,
    call,
    async onOpen() {
      fields.unlockCount += 1
      await onOpen?.()
    },
    writeCachedClaims: async claims => void (fields.cachedClaims = claims),
    readCachedClaims: async () => fields.cachedClaims,
    deviceUse: () => fields.deviceUse,
    async finishWrites() {
      fields.finishedWith.push(session.token())
      await fields.writesFinished
    },
    async sendUnsentDrafts() {
      fields.draftSends.push({ token: session.token(), at: tab.now() })
      await fields.draftsSent
    },
    ...createDraftHooks(fields, () => session.state().kind === 'signed-in'),
    async onEnd(ending, _answered, opened) {
      if (onEnd) await onEnd(opened)
      if (opened) await opened
      fields.endings.push(ending)
    },
  })
  return session
}

/** The hooks that find and lock drafts. */
function createDraftHooks(fields: FixtureFields, isSignedIn: () => boolean) {
  return {
    async findUnsentDrafts() {
      fields.finds += 1
      await fields.unsentFound
      return fields.hasUnsentDrafts ? ('unsent' as const) : ('none' as const)
    },
    async lockUnsentDrafts() {
      fields.locks.push('unsent')
      await fields.unsentLocked
      // Without a session the store has no key, and locks nothing.
      const isLocked = fields.hasUnsentDrafts && isSignedIn()
      fields.hasLockedDrafts ||= isLocked
      return isLocked
    },
    async lockDraftsOfOthers() {
      fields.locks.push('others')
      await fields.othersLocked
      return fields.hasLockedDrafts
    },
  }
}

/** Lets each request wait until the returned function is called. */
export function holdRequests(): () => void {
  let release = doNothing
  const released = new Promise<void>(resolve => (release = resolve))
  const fetchNow = fetch
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    await released
    return fetchNow(...request)
  })
  return () => release()
}

/**
 * For a test whose first log-out request has failed. Expects the second one after 15 s, lets the server confirm the third one
 * after 15 s more, and expects no other.
 */
export async function expectRetriesUntilConfirmed(fixture: SessionFixture): Promise<void> {
  const { device, logOuts } = fixture
  await device.advance(15_000)
  expect(logOuts()).toBe(2)
  fixture.logOutAnswer = 'confirmed'
  await device.advance(15_000)
  expect(logOuts()).toBe(3)
  await device.advance(60_000)
  expect(logOuts()).toBe(3)
}
