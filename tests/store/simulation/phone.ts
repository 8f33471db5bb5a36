import type { TabMessage } from '#device/device.ts'
import { createDisk, type Disk } from './phone-storage.ts'
import type { DiskTrouble, LineFault, PhoneName } from './story.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What the tabs of one phone share. */
export type Phone = {
  name: PhoneName
  disk: Disk
  locks: TabLocks
  /**
   * Whether the seed of the story is below `firstGroupSeed`. Its phones keep two faults of the simulation, so that a known
   * seed still plays what it played when it failed: a tab that got a lock at once takes it by force after the timeout, and a
   * form opens without the epoch of the server.
   */
  isOldStory: boolean
  /** Whether the pages of the phone have the real sessions of the portal: with a seed of at least `firstSessionSeed`. */
  hasSessions: boolean
  /** The texts that all tabs of the phone share, as `localStorage`. */
  texts: Map<string, string>
  /**
   * The cookie of the newest session: the id of the session at the server. Undefined before the first sign-in, and from
   * the answer to a log-out until the next sign-in.
   */
  cookie: string | undefined
  /** The applicants of whom a shared device has deleted every row that is not locked, until they sign in again. */
  erased: Set<string>
  /** The applicants whose answers a shared device has begun to delete, until they sign in again. */
  wiped: Set<string>
  /** How often a page of this phone has opened a session of each applicant: by a sign-in, or at its start. */
  signInCounts: Map<string, number>
  /** One entry for each page that is ending its session and may clear the phone. */
  endings: Set<object>
  /** The wall clock of the phone minus the true time, in milliseconds. */
  clockErrorMs: number
  signedIn: boolean
  /**
   * The log-out that runs, and its tab: a second log-out joins it. On a shared device a dialog covers the page until the
   * end, so the applicant cannot type.
   */
  logOut: { tab: { isAlive: () => boolean } | undefined; coversPage: boolean } | undefined
  /** The access token of the phone. It is good while it equals `acceptedToken`. */
  token: number
  /** The only token that the server accepts. Each sign-in, each refresh and each step `expire` increases it. */
  acceptedToken: number
  /** What happens to the next requests, in this order. */
  nextLineFaults: LineFault[]
  trouble: () => DiskTrouble
  setTrouble: (trouble: DiskTrouble) => void
  /** Whether a write that runs now may have met a full disk. */
  wasJustFull: () => boolean
  /** Whether only drafts fitted on the disk at this time, in milliseconds from the start of the story, or since. */
  hadNoRoomSince: (ms: number) => boolean
  nextId: () => string
  broadcast: (from: object, message: TabMessage) => void
  onBroadcast: (tab: object, listener: (message: TabMessage) => void) => () => void
}

/** Longest time for which a write continues after it has met the full disk and dropped old or new revisions (D63). */
const longestWriteMs = 1_000

export function createPhone(
  name: PhoneName,
  { clock, ...storyFlags }: { clock: VirtualClock } & Pick<Phone, 'isOldStory' | 'hasSessions'>,
): Phone {
  const listeners = new Set<{ tab: object; listener: (message: TabMessage) => void }>()
  let ids = 0
  let trouble: DiskTrouble = 'none'
  let lastFullMs = -Infinity
  let lastWithoutRoomMs = -Infinity
  return {
    name,
    disk: createDisk(`portal ${name}`),
    locks: createTabLocks(),
    ...storyFlags,
    texts: new Map(),
    cookie: undefined,
    erased: new Set(),
    wiped: new Set(),
    signInCounts: new Map(),
    endings: new Set(),
    clockErrorMs: 0,
    signedIn: true,
    logOut: undefined,
    token: 1,
    acceptedToken: 1,
    nextLineFaults: [],
    trouble: () => trouble,
    setTrouble(next) {
      if (trouble !== 'none') lastFullMs = clock.elapsed()
      if (trouble === 'only drafts fit') lastWithoutRoomMs = clock.elapsed()
      trouble = next
    },
    wasJustFull: () => trouble !== 'none' || clock.elapsed() - lastFullMs <= longestWriteMs,
    hadNoRoomSince: ms => trouble === 'only drafts fit' || lastWithoutRoomMs >= ms,
    nextId: () => `${name}-${(ids += 1)}`,
    broadcast(from, message) {
      for (const each of listeners) if (each.tab !== from) clock.after(1, () => each.listener(message))
    },
    onBroadcast(tab, listener) {
      const entry = { tab, listener }
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
  }
}

/** The Web Locks of one browser: a lock ends with the tab that holds it. */
type TabLocks = {
  request: (name: string, tab: object, onGranted: () => void) => LockRequest
  release: (request: LockRequest) => void
  /** Takes the lock by force; the holder hears of it. */
  steal: (name: string, request: LockRequest) => void
  dropTab: (tab: object) => void
  isHeld: (name: string) => boolean
}

/** A request for a lock; the first one in a queue holds the lock. */
type LockRequest = { name: string; tab: object; onGranted: () => void; onLost: () => void }

function createTabLocks(): TabLocks {
  const queues = new Map<string, LockRequest[]>()

  function remove(request: LockRequest) {
    const queue = queues.get(request.name) ?? []
    const index = queue.indexOf(request)
    if (index === -1) return
    queue.splice(index, 1)
    if (index === 0) queue[0]?.onGranted()
  }

  return {
    request(name, tab, onGranted) {
      const request: LockRequest = { name, tab, onGranted, onLost: () => undefined }
      const queue = queues.get(name) ?? []
      queues.set(name, queue)
      queue.push(request)
      if (queue.length === 1) onGranted()
      return request
    },
    release: remove,
    isHeld: name => (queues.get(name) ?? []).length > 0,
    steal(name, request) {
      const queue = queues.get(name) ?? []
      const holder = queue[0]
      if (!holder || holder === request) return
      queue.splice(queue.indexOf(request), 1)
      queue[0] = request
      holder.onLost()
      request.onGranted()
    },
    dropTab(tab) {
      for (const queue of queues.values())
        for (const request of queue.filter(each => each.tab === tab)) remove(request)
    },
  }
}
