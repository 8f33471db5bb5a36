import type { Device, Speech, TabMessage, WipeOptions } from '#device/device.ts'

export type FakeDevice = Device & {
  /** Advances both clocks and runs the timers that become due. */
  advance(milliseconds: number): Promise<void>
  /** Advances both clocks without running timers, as on a phone whose monotonic clock runs while it sleeps. */
  sleep(milliseconds: number): void
  /** Moves the wall clock alone: a user sets it, or the phone sleeps and its monotonic clock stops, as most do. */
  moveWallClock(milliseconds: number): void
  hidePage(): void
  /** Leaves the page, as a reload does. */
  leavePage(): void
  /** Makes the page visible again. */
  wakeUp(): void
  /** Shows the page again that the back-forward cache had. */
  goBack(): void
  setOnline(online: boolean): void
  /** The messages that this tab has sent to the other tabs. */
  broadcasts: TabMessage[]
  receiveBroadcast(message: TabMessage): void
  /** The query of the URL. */
  urlParameters: URLSearchParams
  /** The addresses of `navigateTo` and `replacePage`, oldest first. */
  openedAddresses: string[]
  /** Gives the device voices of these languages, as a browser does that loads them late. */
  addVoices(...languages: string[]): void
  /** Removes all voices without an event. */
  removeVoices(): void
  /** What the device speaks now; undefined when it is silent. */
  spoken(): { sentences: readonly string[]; language: string } | undefined
  /** Ends the speech, as after the last sentence. */
  endSpeech(): void
}

/** A device without a browser: the test advances its clock and cuts its connection. `start`: milliseconds since 1970. */
export function createFakeDevice(start = 1_800_000_000_000): FakeDevice {
  const urlParameters = new URLSearchParams()
  const openedAddresses: string[] = []
  let ids = 0

  return {
    ...missingFeatures,
    ...createFakeClock(start),
    ...createFakeTexts(),
    ...createFakeEvents(),
    randomId: () => `id-${(ids += 1)}`,
    ...createFakeLocks(),
    ...createFakeSpeech(),
    acquireLock: async () => () => undefined,
    navigateTo: next => void openedAddresses.push(next),
    replacePage: next => void openedAddresses.push(next),
    urlOf: path => `https://portal.test${path}`,
    takeUrlParameters(names) {
      const taken = Object.fromEntries(
        names.flatMap(name => (urlParameters.has(name) ? [[name, urlParameters.get(name)]] : [])),
      )
      for (const name of names) urlParameters.delete(name)
      return taken as Partial<Record<(typeof names)[number], string>> // only the names that were asked for
    },
    urlParameters,
    openedAddresses,
  }
}

/** What a device without a browser cannot do, or does without an effect. */
const missingFeatures = {
  isDataSaverOn: () => false,
  setPageLanguage: () => undefined,
  readPrerendered: () => undefined,
  endPrerendered: () => undefined,
  startWorker: () => {
    throw new Error('The fake device runs no workers')
  },
  onSmsCode: () => () => undefined,
  download: () => undefined,
  copy: async () => true,
  canShareFiles: () => false,
  shareFile: async () => false,
  canReadQrCodes: () => false,
  readQrCode: async () => undefined,
  scrollToTop: () => undefined,
  installMethod: () => undefined,
  onInstallMethod: () => () => undefined,
  install: async () => false,
  persistStorage: async () => false,
  printPages: async () => undefined,
} satisfies Partial<Device>

/** A clock and its timers, which run only while a test advances the clock. */
function createFakeClock(start: number) {
  let time = start
  let wallOffset = 0
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => time + wallOffset,
    monotonic: () => time,
    after(milliseconds: number, run: () => void) {
      const timer = { at: time + milliseconds, run }
      timers.push(timer)
      return () => {
        timers = timers.filter(other => other !== timer)
      }
    },
    async advance(milliseconds: number) {
      // What the test has just done may set a timer that is due.
      await flushPromises()
      const end = time + milliseconds
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)
        if (!next) break
        timers = timers.filter(timer => timer !== next)
        time = Math.max(time, next.at)
        next.run()
        await flushPromises()
      }
      time = end
    },
    sleep(milliseconds: number) {
      time += milliseconds
    },
    moveWallClock(milliseconds: number) {
      wallOffset += milliseconds
    },
  }
}

/** Speech that does not end by itself: only `endSpeech`, `stop` or the next `speak` ends it. */
function createFakeSpeech() {
  const voices = new Set<string>()
  const onVoices = new Set<() => void>()
  let current: { sentences: readonly string[]; language: string; onEnd: () => void } | undefined
  function stop() {
    const ended = current
    current = undefined
    ended?.onEnd()
  }
  const speech: Speech = {
    hasVoice: language => voices.has(language),
    speak(sentences, options) {
      stop()
      if (!voices.has(options.language)) return options.onEnd()
      current = { sentences, ...options }
    },
    stop,
  }
  return {
    onVoices: (listener: () => void) => listen(onVoices, listener),
    loadSpeech: async () => speech,
    addVoices(...languages: string[]) {
      for (const language of languages) voices.add(language)
      for (const listener of onVoices) listener()
    },
    removeVoices: () => voices.clear(),
    spoken: () => current && { sentences: current.sentences, language: current.language },
    endSpeech: stop,
  }
}

/** Locks that never make a tab wait. */
function createFakeLocks() {
  const held: string[] = []
  return {
    async withLock<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
      held.push(name)
      try {
        return await run()
      } finally {
        held.splice(held.indexOf(name), 1)
      }
    },
    isLockHeld: async (name: string) => held.includes(name),
  }
}

/** The texts of the device and of the tab. */
function createFakeTexts() {
  const deviceTexts = new Map<string, string>()
  const tabTexts = new Map<string, string>()
  return {
    saveText: (key: string, text: string | undefined) => put(deviceTexts, key, text),
    readText: (key: string) => deviceTexts.get(key),
    saveTabText: (key: string, text: string | undefined) => put(tabTexts, key, text),
    readTabText: (key: string) => tabTexts.get(key),
    async wipe({ keysToKeep }: WipeOptions) {
      for (const key of deviceTexts.keys()) if (!keysToKeep.includes(key)) deviceTexts.delete(key)
      tabTexts.clear()
    },
  }
}

/** The connection, the visibility of the page and the messages between tabs. */
function createFakeEvents() {
  let online = true
  let visible = true
  const onConnection = new Set<(online: boolean) => void>()
  const onVisible = new Set<() => void>()
  const onHidden = new Set<() => void>()
  const onRestored = new Set<() => void>()
  const onMessage = new Set<(message: TabMessage) => void>()
  const broadcasts: TabMessage[] = []
  return {
    seemsOnline: () => online,
    onConnection: (listener: (online: boolean) => void) => listen(onConnection, listener),
    onPageVisible: (listener: () => void) => listen(onVisible, listener),
    onPageHidden: (listener: () => void) => listen(onHidden, listener),
    onPageRestored: (listener: () => void) => listen(onRestored, listener),
    goBack: () => callListeners(onRestored, undefined),
    broadcast: (message: TabMessage) => void broadcasts.push(message),
    onBroadcast: (listener: (message: TabMessage) => void) => listen(onMessage, listener),
    isPageVisible: () => visible,
    hidePage() {
      visible = false
      callListeners(onHidden, undefined)
    },
    leavePage: () => callListeners(onHidden, undefined),
    wakeUp() {
      visible = true
      callListeners(onVisible, undefined)
    },
    setOnline(next: boolean) {
      online = next
      callListeners(onConnection, next)
    },
    broadcasts,
    receiveBroadcast: (message: TabMessage) => callListeners(onMessage, message),
  }
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function callListeners<Message>(listeners: Set<(message: Message) => void>, message: Message): void {
  for (const listener of listeners) listener(message)
}

function put(map: Map<string, string>, key: string, text: string | undefined): void {
  if (text === undefined) map.delete(key)
  else map.set(key, text)
}

/** Runs the callbacks of all resolved promises. */
async function flushPromises(): Promise<void> {
  await new Promise<void>(resolve => {
    setImmediate(resolve)
  })
}
