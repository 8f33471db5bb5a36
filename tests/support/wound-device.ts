import type { Device, TabMessage } from '#device/device.ts'

export type WoundDevice = Device & {
  /** Lets time pass, and runs what falls due on the way. */
  wind(milliseconds: number): Promise<void>
  /** The phone sleeps: time passes, and no timer runs. */
  sleep(milliseconds: number): void
  /** The page is seen again. */
  wakeUp(): void
  setOnline(online: boolean): void
  /** What the other tabs were told. */
  told: TabMessage[]
  hear(message: TabMessage): void
  /** What stands in the address after `?`. */
  address: URLSearchParams
  /** Where the page was opened anew. */
  restarts: string[]
}

/** A device without a browser: its clock is wound by hand, and its line is cut by hand. */
export function createWoundDevice(start = 1_800_000_000_000): WoundDevice {
  let time = start
  let online = true
  let timers: { at: number; run: () => void }[] = []
  const shared = new Map<string, string>()
  const here = new Map<string, string>()
  const connection = new Set<(online: boolean) => void>()
  const returns = new Set<() => void>()
  const tabs = new Set<(message: TabMessage) => void>()
  const told: TabMessage[] = []
  const address = new URLSearchParams()
  const restarts: string[] = []
  let ids = 0

  async function wind(milliseconds: number) {
    const end = time + milliseconds
    for (;;) {
      const [next] = timers.filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)
      if (!next) break
      timers = timers.filter(timer => timer !== next)
      time = Math.max(time, next.at)
      next.run()
      await settle()
    }
    time = end
  }

  return {
    now: () => time,
    monotonic: () => time,
    randomId: () => `id-${(ids += 1)}`,
    seemsOnline: () => online,
    savesData: () => false,
    speak: () => undefined,
    painted: () => undefined,
    endPainted: () => undefined,
    hasAmpleLine: () => false,
    startWorker: () => {
      throw new Error('this device runs no workers')
    },
    onConnection: listener => listen(connection, listener),
    onReturn: listener => listen(returns, listener),
    after(milliseconds, run) {
      const timer = { at: time + milliseconds, run }
      timers.push(timer)
      return () => {
        timers = timers.filter(other => other !== timer)
      }
    },
    remember: (key, text) => put(shared, key, text),
    recall: key => shared.get(key),
    rememberHere: (key, text) => put(here, key, text),
    recallHere: key => here.get(key),
    onSmsCode: () => () => undefined,
    tellTabs: message => void told.push(message),
    onTabs: listener => listen(tabs, listener),
    alone: (_name, run) => run(),
    hold: async () => () => undefined,
    download: () => undefined,
    copy: async () => true,
    leaveFor: next => void restarts.push(next),
    canShareFiles: () => false,
    shareFile: async () => false,
    readsCodes: () => false,
    readCode: async () => undefined,
    scrollToTop: () => undefined,
    installWay: () => undefined,
    onInstallWay: () => () => undefined,
    install: async () => false,
    persist: async () => false,
    printPages: async () => undefined,
    addressOf: path => `https://portal.test${path}`,
    takeFromAddress(names) {
      const taken = Object.fromEntries(
        names.flatMap(name => (address.has(name) ? [[name, address.get(name)]] : [])),
      )
      for (const name of names) address.delete(name)
      return taken as Partial<Record<(typeof names)[number], string>> // the names that were asked for
    },
    async wipe(keep) {
      for (const key of shared.keys()) if (!keep.includes(key)) shared.delete(key)
      here.clear()
    },
    restart: next => void restarts.push(next),
    address,
    restarts,
    wind,
    sleep(milliseconds) {
      time += milliseconds
    },
    wakeUp: () => tellAll(returns, undefined),
    setOnline(next) {
      online = next
      tellAll(connection, next)
    },
    told,
    hear: message => tellAll(tabs, message),
  }
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tellAll<Message>(listeners: Set<(message: Message) => void>, message: Message): void {
  for (const listener of listeners) listener(message)
}

function put(map: Map<string, string>, key: string, text: string | undefined): void {
  if (text === undefined) map.delete(key)
  else map.set(key, text)
}

/** Lets promises that wait for nothing else run out. */
async function settle(): Promise<void> {
  await new Promise<void>(resolve => {
    setImmediate(resolve)
  })
}
