import { createRandomSource, type RandomSource } from '#support/random-source.ts'
import { createFakeServer, type FakeServer } from './fake-server.ts'
import { firstGroupSeed } from './group-steps.ts'
import { createReportedAnswers, type ReportedAnswers } from './reported-answers.ts'
import { createOracle, type Oracle } from './oracle.ts'
import { createPhone, type Phone } from './phone.ts'
import { type PhoneName, phoneNames, phoneOf, type Story, type TabName } from './story.ts'
import { createShownGroups, type ShownGroups } from './typed-groups.ts'
import { openTab, type Tab } from './tab.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

/** Two phones, their tabs, the network and the server of one story. */
export type World = {
  clock: VirtualClock
  chance: RandomSource
  server: FakeServer
  /** The answers that pages have reported as saved. */
  reportedAnswers: ReportedAnswers
  shownGroups: ShownGroups
  oracle: Oracle
  phones: readonly Phone[]
  phone: (name: PhoneName) => Phone
  tabs: () => readonly Tab[]
  /** The tab of this name; opens it when it is closed. */
  tab: (name: TabName) => Tab
  findOpenTab: (name: TabName) => Tab | undefined
  /** Tells every tab of the phone that its session has changed. */
  emitSession: (phone: Phone) => void
  /** Reports that the server's copy has replaced answers of this phone. */
  onAnswersReplaced: (phone: Phone) => void
  /** Adds a line to the trail, which the test prints when the story fails. */
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
  const clock = createVirtualClock(() => {
    if (isTouched) world.oracle.check()
    isTouched = false
  })
  const server = createFakeServer(maxOpenApplications)
  const reportedAnswers = createReportedAnswers()
  const shownGroups = createShownGroups()
  const phones = phoneNames.map(name => createPhone(name, { clock, isOldStory: seed < firstGroupSeed }))
  const world: World = {
    clock,
    chance: createRandomSource(seed),
    server,
    reportedAnswers,
    shownGroups,
    phones,
    oracle: createOracle({ clock, server, reportedAnswers, shownGroups, phones, tabs: () => world.tabs() }),
    phone(name) {
      const found = phones.find(phone => phone.name === name)
      if (!found) throw new Error(`There is no phone ${name}`)
      return found
    },
    tabs: () => [...tabs.values()].filter(tab => tab.isAlive()),
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
    onAnswersReplaced: phone => world.oracle.onAnswersReplaced(phone),
    trail: event => void trail.push(`${clock.elapsed()} ms: ${event}`),
    trailLines: () => trail,
    touch() {
      isTouched = true
    },
  }
  for (const phone of phones) phone.disk.onCommit(world.touch)
  return world
}
