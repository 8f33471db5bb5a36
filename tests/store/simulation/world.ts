import { createRandomSource, type RandomSource } from '#support/random-source.ts'
import { type Account, createAccount } from './account.ts'
import { firstGroupSeed } from './group-steps.ts'
import { firstNewerSeed } from './newer-steps.ts'
import { createPhone, type Phone } from './phone.ts'
import { createPrivacy, type Privacy } from './privacy.ts'
import { createSessionServer, type SessionServer } from './session-server.ts'
import { firstSessionSeed } from './session-steps.ts'
import { type PhoneName, phoneNames, phoneOf, type Story, type TabName } from './story.ts'
import { openTab, type Tab } from './tab.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'
import { ada, applicants } from './virtual-platform.ts'

/** Two phones, their tabs, the network and the server of one story. */
export type World = {
  clock: VirtualClock
  chance: RandomSource
  /** With a seed below `firstSessionSeed` only that of Ada. */
  accounts: readonly Account[]
  /** @throws when the story has no such applicant */
  account: (applicantId: string) => Account
  sessions: SessionServer
  privacy: Privacy
  phones: readonly Phone[]
  phone: (name: PhoneName) => Phone
  tabs: () => readonly Tab[]
  /** The tab of this name; opens it when it is closed. */
  tab: (name: TabName) => Tab
  findOpenTab: (name: TabName) => Tab | undefined
  /** Tells every tab of the phone that its session has changed. */
  emitSession: (phone: Phone) => void
  /** Reports a fault that belongs to no applicant. */
  report: (fault: string) => void
  faults: () => readonly string[]
  /** Compares what every open page says and shows with the server and with the rows of the phones. */
  check: () => void
  /** Adds an entry to the trail, which the test prints when the story fails. */
  trail: (event: string) => void
  trailLines: () => readonly string[]
  /** Reports a change of what a page shows or of what a disk has: the oracle then checks the world. */
  touch: () => void
}

export function createWorld({
  seed,
  maxOpenApplications,
}: Pick<Story, 'seed' | 'maxOpenApplications'>): World {
  const trail: string[] = []
  const tabs = new Map<TabName, Tab>()
  let isTouched = false
  const hasSessions = seed >= firstSessionSeed
  // The clock calls this after each of its timers.
  const clock = createVirtualClock(() => {
    if (isTouched) world.check()
    isTouched = false
  })
  const phones = phoneNames.map(name =>
    createPhone(name, { clock, isOldStory: seed < firstGroupSeed, hasSessions }),
  )
  const openTabs = () => [...tabs.values()].filter(tab => tab.isAlive())
  const accounts = (hasSessions ? applicants : [ada]).map(applicant =>
    createAccount(applicant, {
      clock,
      maxOpenApplications,
      storesAllRefusals: seed < firstNewerSeed,
      phones,
      tabs: openTabs,
    }),
  )
  const world: World = {
    clock,
    chance: createRandomSource(seed),
    accounts,
    account: applicantId => findPart(accounts, each => each.applicant.applicantId === applicantId),
    sessions: createSessionServer(clock),
    privacy: createPrivacy({ accounts, phones, tabs: openTabs, report: fault => world.report(fault) }),
    phones,
    phone: name => findPart(phones, each => each.name === name),
    tabs: openTabs,
    tab(name) {
      const open = world.findOpenTab(name)
      if (open) return open
      const tab = openTab(name, world.phone(phoneOf(name)), world)
      tabs.set(name, tab)
      return tab
    },
    findOpenTab(name) {
      const tab = tabs.get(name)
      return tab?.isAlive() ? tab : undefined
    },
    emitSession: phone => world.tabs().forEach(tab => tab.phone === phone && tab.onSession()),
    report: fault => accounts[0]?.oracle.report(fault),
    faults: () => accounts.flatMap(({ oracle }) => oracle.faults()),
    check() {
      if (world.faults().length > 0) return
      if (hasSessions) world.privacy.check()
      for (const { oracle } of accounts) oracle.check()
    },
    trail: event => void trail.push(`${clock.elapsed()} ms: ${event}`),
    trailLines: () => trail,
    touch() {
      isTouched = true
    },
  }
  for (const phone of phones) phone.disk.onCommit(world.touch)
  return world
}

function findPart<Item>(items: readonly Item[], isWanted: (item: Item) => boolean): Item {
  const item = items.find(isWanted)
  if (item === undefined) throw new Error('The world has no such part')
  return item
}
