import type { Device, TabMessage } from '#device/device.ts'

export type FakeDevice = Device & {
  /** Lets time pass, and runs what falls due on the way. */
  advance(milliseconds: number): Promise<void>
  /** The phone sleeps: time passes, and no timer runs. */
  sleep(milliseconds: number): void
  /** The page is seen again. */
  wakeUp(): void
  setOnline(online: boolean): void
  /** What the other tabs were told. */
  broadcasts: TabMessage[]
  receiveBroadcast(message: TabMessage): void
  /** What stands in the address after `?`. */
  urlParameters: URLSearchParams
  /** Where the page was opened anew. */
  replacedPages: string[]
}

/** A device without a browser: its clock is wound by hand, and its line is cut by hand. */
export function createFakeDevice(start = 1_800_000_000_000): FakeDevice {
  let time = start
  let online = true
  let timers: { at: number; run: () => void }[] = []
  const shared = new Map<string, string>()
  const here = new Map<string, string>()
  const connection = new Set<(online: boolean) => void>()
  const returns = new Set<() => void>()
  const tabs = new Set<(message: TabMessage) => void>()
  const broadcasts: TabMessage[] = []
  const urlParameters = new URLSearchParams()
  const replacedPages: string[] = []
  let ids = 0

  async function advance(milliseconds: number) {
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
  }

  return {
    now: () => time,
    monotonic: () => time,
    randomId: () => `id-${(ids += 1)}`,
    seemsOnline: () => online,
    savesData: () => false,
    setPageLanguage: () => undefined,
    readPrerendered: () => undefined,
    endPrerendered: () => undefined,
    hasFastConnection: () => false,
    startWorker: () => {
      throw new Error('this device runs no workers')
    },
    onConnection: listener => listen(connection, listener),
    onPageVisible: listener => listen(returns, listener),
    after(milliseconds, run) {
      const timer = { at: time + milliseconds, run }
      timers.push(timer)
      return () => {
        timers = timers.filter(other => other !== timer)
      }
    },
    saveText: (key, text) => put(shared, key, text),
    readText: key => shared.get(key),
    saveTabText: (key, text) => put(here, key, text),
    readTabText: key => here.get(key),
    onSmsCode: () => () => undefined,
    broadcast: message => void broadcasts.push(message),
    onBroadcast: listener => listen(tabs, listener),
    withLock: (_name, run) => run(),
    acquireLock: async () => () => undefined,
    download: () => undefined,
    copy: async () => true,
    navigateTo: next => void replacedPages.push(next),
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
    urlOf: path => `https://portal.test${path}`,
    takeUrlParameters(names) {
      const taken = Object.fromEntries(
        names.flatMap(name => (urlParameters.has(name) ? [[name, urlParameters.get(name)]] : [])),
      )
      for (const name of names) urlParameters.delete(name)
      return taken as Partial<Record<(typeof names)[number], string>> // the names that were asked for
    },
    async wipe(keep) {
      for (const key of shared.keys()) if (!keep.includes(key)) shared.delete(key)
      here.clear()
    },
    replacePage: next => void replacedPages.push(next),
    urlParameters,
    replacedPages,
    advance,
    sleep(milliseconds) {
      time += milliseconds
    },
    wakeUp: () => callListeners(returns, undefined),
    setOnline(next) {
      online = next
      callListeners(connection, next)
    },
    broadcasts,
    receiveBroadcast: message => callListeners(tabs, message),
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

/** Lets promises that wait for nothing else run out. */
async function flushPromises(): Promise<void> {
  await new Promise<void>(resolve => {
    setImmediate(resolve)
  })
}
