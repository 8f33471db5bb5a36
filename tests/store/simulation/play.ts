import { emptyForm, type FormValues } from '#contract/application.ts'
import type { Draft } from '#store/draft.ts'
import { catchUncaught } from '#support/catch-uncaught.ts'
import { act, signIn } from './acts.ts'
import { draftsOf } from './oracle.ts'
import { firstRoomSeed } from './room-steps.ts'
import { restWithSessions } from './session-acts.ts'
import { type Story, typedFields } from './story.ts'
import { groupFields } from './story-names.ts'
import { installVirtualPlatform } from './virtual-platform.ts'
import { maxEvents } from './virtual-clock.ts'
import { createWorld, type World } from './world.ts'

export type Played = {
  /** Undefined when the product kept all its promises. */
  fault: string | undefined
  /** How many timers and steps of the storage ran. */
  events: number
  /** What the server and the pages did, for the reader of a failure. */
  trail: readonly string[]
}

/**
 * Plays a story to its end or its first fault. The same story always goes the same way. `isVerbose`: the trail has
 * every commit.
 */
export async function play(story: Story, { isVerbose = false } = {}): Promise<Played> {
  const world = createWorld(story)
  if (isVerbose) trailCommits(world)
  const restorePlatform = installVirtualPlatform(world.clock, storageStepMs(story))
  const stopCatching = catchUncaught(error => world.report(`an error that nothing caught: ${String(error)}`))
  try {
    for (const step of story.steps) {
      await act(world, step)
      await world.clock.pass(0)
      if (world.faults().length > 0) break
    }
    if (world.faults().length === 0) await comeToRest(world, story)
  } finally {
    for (const tab of world.tabs()) tab.die()
    // Dexie has timers of its own, which must run before the next story.
    await world.clock.pass(60_000)
    restorePlatform()
    stopCatching()
  }
  return { fault: world.faults()[0], events: world.clock.count(), trail: world.trailLines() }
}

/** The time of one step of the storage, on phones from fast to slow. A write has several: about 100 ms on the slowest phone. */
function storageStepMs({ seed }: Pick<Story, 'seed'>): number {
  return [1, 5, 20][seed % 3] ?? 1
}

const minuteMs = 60_000

/** The connection is good, the disk has room, the applicant is signed in and looks at the portal, and presses no key. */
async function comeToRest(world: World, { seed }: Pick<Story, 'seed'>) {
  for (const phone of world.phones) {
    phone.nextLineFaults.length = 0
    phone.setTrouble('none')
    for (const tab of world.tabs()) {
      tab.storage.failing.trouble = 'none'
      tab.storage.hanging.endAll()
      tab.storage.failingReads.end()
    }
  }
  if (seed >= firstRoomSeed) await saveMemory(world)
  await (world.phones.some(({ hasSessions }) => hasSessions) ? restWithSessions(world) : restSignedIn(world))
  if (world.clock.count() >= maxEvents) world.report('the pages do not come to rest')
}

/** The pages write each draft once more. Then another applicant signs in, which empties the memory of a page. */
async function saveMemory(world: World) {
  for (const tab of world.tabs()) tab.device.show()
  await world.clock.pass(minuteMs)
  for (const tab of world.tabs())
    for (const { applicationId } of tab.sync.list()) tab.sync.refresh(applicationId)
  await world.clock.pass(2 * minuteMs)
  for (const { oracle } of world.accounts) oracle.checkMemory()
}

/** For the stories with a seed below `firstSessionSeed`: Ada signs in again on both phones. */
async function restSignedIn(world: World) {
  for (let round = 0; round < 4; round += 1) {
    // A log-out may have ended only now.
    for (const phone of world.phones) signIn(world, phone)
    openTabs(world)
    for (const tab of world.tabs()) void tab.ready().then(() => tab.device.show())
    await world.clock.pass(2 * minuteMs)
    for (const tab of world.tabs())
      for (const { applicationId } of tab.sync.list()) if (round > 0) tab.sync.refresh(applicationId)
    await world.clock.pass(8 * minuteMs)
  }
  // Without events nothing moves any more, so the other checks would blame the wrong part.
  if (world.clock.count() >= maxEvents) return
  world.check()
  for (const { oracle } of world.accounts) oracle.checkEnd()
}

/** Opens one tab of each phone, if it is closed. */
function openTabs(world: World) {
  for (const name of ['A1', 'B1'] as const) world.tab(name)
}

function trailCommits(world: World) {
  for (const phone of world.phones)
    phone.disk.onCommit(() => {
      for (const { applicant } of world.accounts)
        for (const { applicationId, draft } of draftsOf(phone, applicant.applicantId))
          world.trail(`disk of ${phone.name}: ${applicationId} ${tellDraft(draft)}`)
    })
}

function tellDraft({ values, base, theirs, sending, attempts, submitted, stuck }: Draft): string {
  return JSON.stringify({
    values: answers(values),
    base: base && `v${base.version} ${answers(base.values)}`,
    theirs: theirs && `v${theirs.version} ${answers(theirs.values)}`,
    sending: sending && `${sending.key} ${answers(sending.values)}`,
    attempts,
    submitted,
    stuck: stuck?.kind,
  })
}

const untyped = emptyForm()

function answers(form: FormValues | undefined): string | undefined {
  if (!form) return undefined
  const parts = [...new Set(groupFields.flat())].filter(field => form[field] !== untyped[field])
  return [...typedFields.map(field => form[field]), ...parts.map(field => `${field}=${form[field]}`)].join(
    '|',
  )
}
