import { createRandomSource, type RandomSource } from '#support/random-source.ts'
import { createFakeServer, type FakeServer } from './fake-server.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createOracle, type Oracle } from './oracle.ts'
import { createPhone, type Phone } from './phone.ts'
import { type PhoneName, phoneNames, phoneOf, type Story, type TabName } from './story.ts'
import { openTab, type Tab } from './tab.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

/** Two phones, their tabs, the network and the server of one story. */
export type World = {
  clock: VirtualClock
  chance: RandomSource
  server: FakeServer
  ledger: Ledger
  oracle: Oracle
  phones: readonly Phone[]
  phone: (name: PhoneName) => Phone
  tabs: () => readonly Tab[]
  /** The tab of this name; opens it when it is closed. */
  tab: (name: TabName) => Tab
  openTabOf: (name: TabName) => Tab | undefined
  tellSessions: (phone: Phone) => void
  onReplaced: (phone: Phone) => void
  trail: (event: string) => void
  trailLines: () => readonly string[]
  /** Something changed that a page shows or that a disk or the server has. */
  touch: () => void
}

export function createWorld({ seed, openLimit }: Pick<Story, 'seed' | 'openLimit'>): World {
  const trail: string[] = []
  const tabs = new Map<TabName, Tab>()
  let isTouched = false
  const clock = createVirtualClock(() => {
    if (isTouched) world.oracle.check()
    isTouched = false
  })
  const server = createFakeServer(openLimit)
  const ledger = createLedger()
  const phones = phoneNames.map(name => createPhone(name, clock))
  const world: World = {
    clock,
    chance: createRandomSource(seed),
    server,
    ledger,
    phones,
    oracle: createOracle({ clock, server, ledger, phones, tabs: () => world.tabs() }),
    phone(name) {
      const found = phones.find(phone => phone.name === name)
      if (!found) throw new Error(`There is no phone ${name}`)
      return found
    },
    tabs: () => [...tabs.values()].filter(tab => tab.isAlive()),
    tab(name) {
      const open = world.openTabOf(name)
      if (open) return open
      const tab = openTab(name, world.phone(phoneOf(name)), world)
      tabs.set(name, tab)
      return tab
    },
    openTabOf(name) {
      const tab = tabs.get(name)
      return tab?.isAlive() ? tab : undefined
    },
    tellSessions: phone => world.tabs().forEach(tab => tab.phone === phone && tab.onSession()),
    onReplaced: phone => world.oracle.onReplaced(phone),
    trail: event => void trail.push(`${clock.elapsed()} ms: ${event}`),
    trailLines: () => trail,
    touch() {
      isTouched = true
    },
  }
  for (const phone of phones) phone.disk.onCommit(world.touch)
  return world
}
