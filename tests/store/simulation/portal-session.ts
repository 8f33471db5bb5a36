import type { CallOptions } from '#api/client.ts'
import { failed, type Result } from '#api/result.ts'
import { createLogoutHooks } from '#app/logout-hooks.ts'
import { claimsCacheName, createOnSessionEnd } from '#app/on-session-end.ts'
import { createResponseCache } from '#app/response-cache.ts'
import { doNothing } from '#device/do-nothing.ts'
import { readCachedClaims } from '#session/claims.ts'
import { readToken } from '#session/read-token.ts'
import { createSession, type Session } from '#session/session.ts'
import type { LifetimeHooks } from '#session/session-lifetime.ts'
import { openSession } from '#sign-in/sign-in.ts'
import { createDeviceUse, type DeviceUseSource } from '#store/device-use.ts'
import { makeToken } from '#support/data/access-token.ts'
import { watchEnding } from './ending.ts'
import { refused } from './fake-server.ts'
import { failOnTheWay, noAnswer, tellAnswer } from './line.ts'
import type { Phone } from './phone.ts'
import type { LineFault } from './story.ts'
import { createSessionDevice } from './tab-device.ts'
import type { PortalSession, SessionParts, TabSession } from './tab-session.ts'
import type { Applicant } from './virtual-platform.ts'

// Loads the reader of tokens before the first story: the load takes real time, for which the virtual clock does not wait.
await readToken(makeToken())

/** The real session of the portal in one tab, with its real end: with a seed of at least `firstSessionSeed`. */
export function createPortalSession(parts: SessionParts): TabSession {
  const { phone, world } = parts
  const device = createSessionDevice(phone, parts.device, parts.die)
  const deviceUse = createDeviceUse(device)
  const network = createNetwork(parts, deviceUse)
  const openStore = async () => parts.store()
  const responseCache = createResponseCache(openStore)
  const serverInfo = createServerInfo(parts, network)
  let memoryOf: string | undefined
  const session: Session = createSession({
    device,
    call: ((name: string, _input: unknown, options: CallOptions) =>
      network.callSession(name, options)) as Parameters<typeof createSession>[0]['call'], // it calls nothing else
    deviceUse: deviceUse.current,
    async onOpen(applicant) {
      // The memory of the page is of one applicant.
      if (![undefined, applicant.applicantId].includes(memoryOf)) parts.forgetMemory()
      memoryOf = applicant.applicantId
      countSignIn(phone, applicant.applicantId)
      await parts.store().setKey(applicant, deviceUse.isShared() ? 'memory' : 'device')
    },
    writeCachedClaims: claims => responseCache.write(claimsCacheName, claims),
    readCachedClaims: async () => readCachedClaims(await responseCache.read(claimsCacheName)),
    ...createLogoutHooks({ openStore, pendingWrites: parts.pendingWrites, sync: parts.sync, serverInfo }),
    onEnd: (...end) => onEnd(...end),
  })
  const clear = createClear(parts, { device, deviceUse, openStore, responseCache, session: () => session })
  const ending = watchEnding({ ...parts, session, deviceUse })

  async function onEnd(...[reason, answered, opened]: Parameters<LifetimeHooks['onEnd']>) {
    const isShared = deviceUse.isShared()
    await ending.follow(reason, opened, () => clear(reason, answered, opened))
    // Only on the applicant's own device the memory of the page outlives the session (D31).
    if (isShared) parts.forgetMemory()
  }

  const ready = start({ parts, session, deviceUse })
  const account = () => {
    const id = session.signedInId()
    return id === undefined ? undefined : world.account(id)
  }
  session.subscribe(() => {
    ending.remember(session.signedInId())
    world.touch()
  })
  return {
    account,
    isSignedIn: () => session.signedInId() !== undefined,
    forSync: session,
    ask: createAskWithRefresh(session, network),
    ready: () => ready,
    storeReady: async () => undefined,
    onSession: doNothing,
    signIn: async () => undefined,
    portal: {
      session,
      deviceUse,
      logIn: createLogIn({ session, deviceUse, network }),
      setLogOutFault: network.setLogOutFault,
    },
  }
}

/** A sign-in, or a start of the page with a session: the phone may have rows of this applicant again. */
function countSignIn(phone: Phone, applicantId: string) {
  for (const ids of [phone.erased, phone.wiped]) ids.delete(applicantId)
  phone.signInCounts.set(applicantId, (phone.signInCounts.get(applicantId) ?? 0) + 1)
}

type EndParts = Parameters<typeof createOnSessionEnd>[0]

/** The real end of a session. The tab has no notices and no queries. */
function createClear(
  { pendingWrites, closeForm }: SessionParts,
  shared: Pick<EndParts, 'device' | 'deviceUse' | 'openStore' | 'responseCache' | 'session'>,
) {
  return createOnSessionEnd({
    ...shared,
    notices: { raise: doNothing } as unknown as EndParts['notices'],
    queryClient: () => undefined,
    language: { current: () => ({ language: 'fr' }) },
    pendingWrites,
    serverInfo: { expire: doNothing },
    goHome: closeForm,
  })
}

/**
 * As `main.tsx` does after a load of the page. But here a device that was shared before, and is not now, deletes no
 * expired drafts.
 */
async function start({
  parts: { store, world },
  session,
  deviceUse,
}: {
  parts: SessionParts
  session: Session
  deviceUse: DeviceUseSource
}): Promise<void> {
  const opened = store()
  const time = new Date(world.clock.now()).toISOString()
  if (deviceUse.isShared()) void opened.lockedDrafts.deleteExpired(time).catch(doNothing)
  void opened.finishErase().catch(doNothing)
  await session.ready()
}

type Network = ReturnType<typeof createNetwork>

/**
 * The network between one tab and the server. The first request of a sign-in meets the fault of its step, or none; a
 * second try meets none. A log-out meets the fault of its step. Without one, it meets the next fault of its phone, or
 * none, as each other request does.
 */
function createNetwork({ phone, world, guard, name }: SessionParts, deviceUse: DeviceUseSource) {
  const { clock, chance, sessions, trail } = world
  let logOutFault: LineFault | undefined

  /** `onArrived`: the browser has got the head of the answer, with its cookie. */
  async function send(
    endpoint: string,
    { fault, signal, onArrived = doNothing }: Sending,
    run: () => Result<unknown>,
  ): Promise<Result<unknown>> {
    await clock.sleep(chance.below(1_500))
    if (signal?.aborted) return noAnswer
    const failure = failOnTheWay(fault, endpoint, clock)
    if (failure) return failure
    const answer = run()
    trail(`server: ${endpoint} of tab ${name}: ${tellAnswer(answer, fault)}`)
    if (fault === 'no answer') return noAnswer
    await clock.sleep(chance.below(1_500))
    if (signal?.aborted) return noAnswer
    if (answer.ok) onArrived()
    if (fault === 'no answer, slowly') return clock.sleep(30_000).then(() => noAnswer)
    return answer
  }

  function logOut({ token, keepsSiteData, signal }: CallOptions) {
    const fault = logOutFault ?? phone.nextLineFaults.shift()
    const { cookie } = phone
    const asksToDelete = deviceUse.isShared() && !keepsSiteData
    logOutFault = undefined
    const onArrived = () => {
      phone.cookie = undefined
      if (!asksToDelete) return
      // The answer makes the browser delete the data of the portal (D31).
      phone.disk.clear()
      phone.texts.clear()
    }
    return send('logout', { fault: ofService(fault), signal, onArrived }, () => {
      sessions.logOut(cookie, token)
      return { ok: true, value: {} }
    })
  }

  function refresh({ signal }: CallOptions) {
    const fault = ofService(phone.nextLineFaults.shift())
    const { cookie } = phone
    return send('refreshToken', { fault, signal }, () => {
      const data = sessions.refresh(cookie)
      return data ? { ok: true, value: { data } } : refused(401)
    })
  }

  return {
    setLogOutFault: (fault: LineFault | undefined) => void (logOutFault = fault),
    /** A dead tab gets no answer. */
    callSession: (endpoint: string, options: CallOptions) =>
      guard(withAbort(options.signal, endpoint === 'logout' ? logOut(options) : refresh(options))),
    logIn(applicant: Applicant, fault: LineFault | undefined) {
      let cookie: string | undefined
      const onArrived = () => (phone.cookie = cookie)
      return guard(
        send('login', { fault: ofService(fault), onArrived }, () => {
          const opened = sessions.logIn(phone.cookie, applicant)
          cookie = opened.cookie
          return { ok: true, value: { data: opened.data } }
        }),
      )
    },
    /** `token`: of the session that calls. */
    ask(
      endpoint: string,
      input: unknown,
      { key, token }: { key: string | undefined; token: string | undefined },
    ) {
      const fault = phone.nextLineFaults.shift()
      return guard(
        send(endpoint, { fault }, () => {
          const applicant = sessions.applicantOf(token)
          if (!applicant) return refused(401)
          return world.account(applicant.applicantId).server.answer(endpoint, input, key)
        }),
      )
    },
    /** The applicants have one server, which is restored for all of them: each account has the same epoch. */
    readEpoch: () =>
      guard(
        send('version', { fault: phone.nextLineFaults.shift() }, () => ({
          ok: true,
          value: world.account('ada').server.epoch(),
        })),
      ),
  }
}

type Sending = { fault: LineFault | undefined; signal?: AbortSignal | undefined; onArrived?: () => void }

/**
 * The portal takes an answer without the mark of the service for none (D60). A `foreign ban` (403) ends no session
 * anyway (S84).
 */
function ofService(fault: LineFault | undefined): LineFault | undefined {
  return fault === 'foreign refusal' || fault === 'foreign answer' ? 'no request' : fault
}

function withAbort<Value>(signal: AbortSignal | undefined, sent: Promise<Result<Value>>) {
  if (!signal) return sent
  const aborted = new Promise<Result<Value>>(resolve => {
    signal.addEventListener('abort', () => resolve(noAnswer))
  })
  return Promise.race([sent, aborted])
}

/** As `callWithRefresh` of `client.ts`: a call gets a new token after a 401, and no data after the end of its session. */
function createAskWithRefresh(session: Session, network: Network): TabSession['ask'] {
  return async (endpoint, input, key) => {
    const hasEnded = session.watchEnd()
    for (let isRepeat = false; ; isRepeat = true) {
      const result = await network.ask(endpoint, input, { key, token: session.token() })
      if (hasEnded()) return refused(401)
      const isUnauthorised = !result.ok && result.problem.kind === 'refused' && result.problem.status === 401
      if (isRepeat || !isUnauthorised) return result
      const refreshed = await session.refresh()
      if (refreshed !== true) return refreshed ? failed(refreshed) : result
      if (hasEnded()) return refused(401)
    }
  }
}

type LogInParts = { session: Session; deviceUse: DeviceUseSource; network: Network }

function createLogIn({ session, deviceUse, network }: LogInParts): PortalSession['logIn'] {
  return async (applicant, fault) => {
    const navigation = { pathname: () => '/password', watchLeaving: () => () => false }
    const call = () => network.logIn(applicant, fault) as ReturnType<Parameters<typeof openSession>[1]>
    const outcome = await openSession({ session, deviceUse, navigation }, call, () => 'failed' as const)
    return outcome === 'failed' ? 'failed' : outcome.kind
  }
}

function createServerInfo({ world }: SessionParts, network: Network) {
  let hasAnswered = false
  return {
    async reload() {
      const answer = await network.readEpoch()
      hasAnswered = answer.ok
      return { epoch: world.account('ada').server.epoch() }
    },
    current: () => ({ state: hasAnswered ? 'answered' : 'failed' }),
  } as unknown as Parameters<typeof createLogoutHooks>[0]['serverInfo'] // the log-out reads no more of it
}
