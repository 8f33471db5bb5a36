import { createRandomSource, type RandomSource } from '#support/random-source.ts'
import type { FailingRead } from './failing-reads.ts'
import type { Hang } from './hanging-writes.ts'
import { writeMemoryActs } from './memory-steps.ts'
import { firstNewerSeed, writeNewerActs } from './newer-steps.ts'
import { firstGroupSeed, writeGroupActs } from './group-steps.ts'
import { firstReadSeed, writeFailingReadActs } from './read-steps.ts'
import { firstRoomSeed, writeRoomActs } from './room-steps.ts'
import { firstSessionSeed, writeFirstSignIns, writeSessionActs } from './session-steps.ts'
import { type GroupField, type TabName, tabNames, type TypedField, typedFields } from './story-names.ts'

export { type TabName, type TypedField, typedFields }
export const phoneNames = ['A', 'B'] as const
export type PhoneName = (typeof phoneNames)[number]

/** What happens to the next request of a phone. */
export const lineFaults = {
  'no request': 'does not reach the server',
  'no request, slowly': 'does not reach the server, and the phone waits 30 s',
  'no answer': 'reaches the server, and its answer is lost',
  'no answer, slowly': 'reaches the server, its answer is lost, and the phone waits 30 s',
  'broken server': 'is answered with 503',
  'too many requests': 'is answered with 429',
  'foreign answer': 'is answered with 200 and an empty body by something else than the server',
  'foreign refusal': 'is answered with 404 by something else than the server',
  'foreign ban': 'is answered with 403 by something else than the server',
} as const
export type LineFault = keyof typeof lineFaults

/** `only drafts fit`: the disk has room for a draft, but not for the answers that were replaced in it (D63). */
export type DiskTrouble = 'disk is full' | 'only drafts fit' | 'none'

/** What happens next. tell-story.ts tells each kind in plain words. */
export type Step =
  | { kind: 'wait'; ms: number }
  | { kind: 'type'; tab: TabName; field: TypedField; value: string }
  /** The applicant types in one field of a group of several, if the form shows it. */
  | { kind: 'type part'; tab: TabName; field: GroupField; value: string }
  | { kind: 'open'; tab: TabName; index: number }
  | { kind: 'start'; tab: TabName }
  /** `afterMs`: how long after the beginning of the next write; undefined: at once. */
  | { kind: 'kill'; tab: TabName; afterMs: number | undefined }
  | { kind: 'close'; tab: TabName }
  | { kind: 'power cut'; phone: PhoneName }
  | { kind: 'show'; tab: TabName }
  | { kind: 'submit'; tab: TabName }
  | { kind: 'choose'; tab: TabName; theirs: boolean }
  | { kind: 'restart'; tab: TabName }
  | { kind: 'restore answers'; tab: TabName }
  | { kind: 'sign out'; phone: PhoneName }
  | { kind: 'sign in'; phone: PhoneName }
  | { kind: 'expire'; phone: PhoneName }
  | { kind: 'lock'; phone: PhoneName }
  | { kind: 'clock'; phone: PhoneName; byMs: number }
  | { kind: 'fault'; phone: PhoneName; fault: LineFault }
  | { kind: 'storage'; phone: PhoneName; trouble: DiskTrouble | 'connection is lost' }
  | { kind: 'server'; event: 'back up' | 'restore' | 'close form' | 'vanish'; index: number }
  /** The next write of a draft in this tab hangs. */
  | ({ kind: 'hang'; tab: TabName } & Hang)
  /** For this time the reads of this tab fail that begin while one of its writes runs. */
  | ({ kind: 'failing reads'; tab: TabName } & FailingRead)
  /** The applicant types the answer again that the last typed one has replaced. */
  | { kind: 'type back'; tab: TabName }
  /**
   * `isLineGood`: faults that earlier steps have set for the next requests do not count any more. `firstPressAfterMs`: how long
   * the applicant reads the data before the first press. `answerLateMs`: how much later than usual the page gets an answer.
   */
  | {
      kind: 'confirm'
      tab: TabName
      presses: number
      firstPressAfterMs: number
      isLineGood: boolean
      isFirstAnswerLost: boolean
      answerLateMs: number
      /** At the first press this tab (mostly another one) reads the server's copy, and the applicant types there. */
      typedAtPress: { tab: TabName; field: TypedField; value: string } | undefined
    }
  | { kind: 'delete'; tab: TabName; index: number; isLineGood: boolean }
  | { kind: 'old release'; phone: PhoneName; version: 1 | 3; value: string }
  /** `givesUpUnsent`: whether the applicant gives up answers that could not be sent. `fault`: of the request of the log-out. */
  | {
      kind: 'log out'
      tab: TabName
      reason: 'asked' | 'inactivity'
      givesUpUnsent: boolean
      fault: LineFault | undefined
    }
  /** `isShared`: whether others use the phone. `fault`: of the first request of the sign-in. */
  | {
      kind: 'sign in as'
      tab: TabName
      applicantId: 'ada' | 'ben'
      isShared: boolean
      fault: LineFault | undefined
    }

/** `seed` also draws how long the network and the storage take. `maxOpenApplications`: of one applicant. */
export type Story = { seed: number; maxOpenApplications: number; steps: Step[] }

const hourMs = 60 * 60_000

export function writeStory(seed: number): Story {
  const chance = createRandomSource(seed)
  const steps: Step[] = []
  // A newer act has several steps: with fewer turns a newer story is about as long as an older one.
  const turns = seed < firstNewerSeed ? 40 : 28
  if (seed % 4 === 0)
    steps.push({
      kind: 'old release',
      phone: chance.pick(phoneNames),
      version: chance.pick([1, 3]),
      value: 'old',
    })
  if (seed >= firstSessionSeed) steps.push(...writeFirstSignIns(chance))
  steps.push({ kind: 'start', tab: 'A1' })
  if (seed % 2 === 0) steps.push({ kind: 'start', tab: 'B1' })
  const backUpAt = seed % 3 === 0 ? chance.below(20) : -1
  const restoreAt = backUpAt + 5 + chance.below(15)
  const closeAt = seed % 5 === 0 ? 10 + chance.below(25) : -1
  const vanishAt = seed % 7 === 0 ? 10 + chance.below(25) : -1
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn === backUpAt) steps.push({ kind: 'server', event: 'back up', index: 0 })
    if (backUpAt >= 0 && turn === restoreAt) steps.push({ kind: 'server', event: 'restore', index: 0 })
    if (turn === closeAt) steps.push({ kind: 'server', event: 'close form', index: chance.below(2) })
    if (turn === vanishAt) steps.push({ kind: 'server', event: 'vanish', index: chance.below(2) })
    steps.push(...writeFaults(chance))
    steps.push(...writeActs(chance, { seed, turn }))
    steps.push({ kind: 'wait', ms: chance.below(chance.pick([120_000, 4_000, 4_000, 400])) })
  }
  return { seed, maxOpenApplications: seed % 3 === 1 ? 2 : 1, steps }
}

/**
 * The acts of one turn. For kinds of acts that are newer than its story a seed draws no random number, so that its story stays
 * the same.
 */
function writeActs(chance: RandomSource, { seed, turn }: { seed: number; turn: number }): Step[] {
  const roomActs = seed < firstRoomSeed ? [] : writeRoomActs(chance, turn)
  if (roomActs.length > 0) return roomActs
  const sessionActs = seed < firstSessionSeed ? [] : writeSessionActs(chance, turn)
  if (sessionActs.length > 0) return sessionActs
  const memoryActs = seed < firstSessionSeed ? [] : writeMemoryActs(chance, turn)
  if (memoryActs.length > 0) return memoryActs
  const failingReadActs = seed < firstReadSeed ? [] : writeFailingReadActs(chance, turn)
  if (failingReadActs.length > 0) return failingReadActs
  const groupActs = seed < firstGroupSeed ? [] : writeGroupActs(chance, turn)
  if (groupActs.length > 0) return groupActs
  const newerActs = seed < firstNewerSeed ? [] : writeNewerActs(chance, turn)
  return newerActs.length > 0 ? newerActs : [writeAct(chance, turn)]
}

function writeFaults(chance: RandomSource): Step[] {
  const names = Object.keys(lineFaults) as LineFault[] // the keys of the list above
  const count = chance.below(3)
  return Array.from({ length: count }, () => ({
    kind: 'fault',
    phone: chance.pick(phoneNames),
    fault: chance.pick(names),
  }))
}

function writeAct(chance: RandomSource, turn: number): Step {
  const tab = chance.pick(tabNames)
  const phone = phoneOf(tab)
  const what = chance.below(40)
  if (what < 16) return { kind: 'type', tab, field: chance.pick(typedFields), value: `${tab}.${turn}` }
  if (what < 19) return { kind: 'open', tab, index: chance.below(3) }
  if (what < 22)
    return {
      kind: 'kill',
      tab,
      afterMs: chance.below(3) === 0 ? undefined : chance.below(chance.pick([12, 60, 240])),
    }
  if (what < 24) return { kind: 'choose', tab, theirs: chance.below(2) === 0 }
  if (what < 26) return { kind: 'submit', tab }
  if (what < 28) return { kind: 'clock', phone, byMs: chance.pick([-24, -1, 1, 24]) * hourMs }
  if (what < 30)
    return { kind: 'storage', phone, trouble: chance.pick(['disk is full', 'connection is lost', 'none']) }
  return writeRareAct(chance, what, tab)
}

function writeRareAct(chance: RandomSource, what: number, tab: TabName): Step {
  const phone = phoneOf(tab)
  switch (what) {
    case 30:
      return { kind: 'close', tab }
    case 31:
      return { kind: 'power cut', phone }
    case 32:
      return { kind: 'show', tab }
    case 33:
      return { kind: 'start', tab }
    case 34:
      return { kind: 'restart', tab }
    case 35:
      return { kind: 'restore answers', tab }
    case 36:
      return { kind: 'sign out', phone }
    case 37:
      return { kind: 'sign in', phone }
    case 38:
      return { kind: 'expire', phone }
    default:
      return chance.below(3) === 0 ? { kind: 'lock', phone } : { kind: 'show', tab }
  }
}

export function phoneOf(tab: TabName): PhoneName {
  return tab === 'B1' ? 'B' : 'A'
}
