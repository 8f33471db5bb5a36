import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, type Member, openCluster } from './cluster.ts'
import { createDemand } from './demand.ts'
import { expectNothingLost } from './expect-nothing-lost.ts'
import { findFaketime } from '../hours/faketime.mjs'
import { type ClockFile, createClockFile, setClock } from './fake-clock.ts'
import { printFigures } from './report.ts'

let cluster: Cluster
let clock: ClockFile
/** A small disk for PostgreSQL, which a test can fill; undefined where no disk can be mounted. */
let disk: string | undefined

const diskMegabytes = 600

beforeAll(async () => {
  disk = mountDisk()
  clock = createClockFile()
  const faketime = findFaketime()
  cluster = await openCluster({
    ...(disk === undefined ? {} : { postgresqlParent: disk }),
    // The clock of the third process can be set.
    environmentOf: index => (index === 2 && faketime !== undefined ? clock.environment(faketime) : {}),
  })
})
afterAll(async () => {
  await cluster?.close()
  clock?.remove()
  if (disk === undefined) return
  execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

type Fault = {
  name: string
  strike: () => Promise<void> | void
  seconds: number
  /**
   * The index of a process that the fault stops; the others must keep answering. Undefined: all must keep answering,
   * unless `stopsAll`.
   */
  process?: number
  mend: () => Promise<void> | void
  /** The fault is in something that all processes need, so no process answers until the mend, and then within this time. */
  stopsAll?: { answeredWithinSeconds: number }
  /** What must be true while the fault lasts, asked shortly before the mend. */
  checkDuring?: () => Promise<void>
  /**
   * The fault may come between a message and its record: then the message is sent again under its key.
   */
  mayRepeatMessages?: true
  skip?: () => string | undefined
}

const member = (index: number): Member => {
  const found = cluster.processes[index]
  if (found === undefined) throw new Error(`There is no process ${index}`)
  return found
}

const faults: Fault[] = [
  {
    name: 'a process is frozen (SIGSTOP)',
    strike: () => member(0).signal('SIGSTOP'),
    seconds: 30,
    process: 0,
    mayRepeatMessages: true,
    mend: () => member(0).signal('SIGCONT'),
  },
  {
    name: 'a process is killed (SIGKILL) and started again',
    strike: () => member(1).stop('SIGKILL'),
    seconds: 10,
    process: 1,
    mayRepeatMessages: true,
    mend: () => member(1).start(),
  },
  {
    name: 'the network between a process and PostgreSQL is cut',
    strike: () => member(0).link.cut(),
    seconds: 30,
    process: 0,
    mayRepeatMessages: true,
    mend: () => member(0).link.mend(),
  },
  {
    name: 'the clock of a process jumps one hour ahead',
    strike: () => setClock(clock, '+3600'),
    seconds: 20,
    mend: () => setClock(clock, '+0'),
    skip: needsFaketime,
  },
  {
    name: 'the clock of a process jumps one hour back',
    strike: () => setClock(clock, '-3600'),
    seconds: 20,
    mend: () => setClock(clock, '+0'),
    skip: needsFaketime,
  },
  {
    name: 'the SMS gateway hangs',
    strike: () => cluster.gateway.hang(true),
    seconds: 20,
    mayRepeatMessages: true,
    mend: () => cluster.gateway.hang(false),
  },
  {
    name: 'the payment provider is silent',
    strike: () => cluster.payers.hang(true),
    seconds: 20,
    mend: () => cluster.payers.hang(false),
  },
  {
    name: 'PostgreSQL crashes and starts again',
    strike: () => cluster.postgresql.restart(),
    seconds: 0,
    mend: () => undefined,
    mayRepeatMessages: true,
    stopsAll: { answeredWithinSeconds: 5 },
  },
  {
    name: 'the disk of PostgreSQL is full',
    strike: () => fillDisk(disk ?? ''),
    seconds: 20,
    // An operator or a supervisor must see that no process is ready (docs/runbook.md).
    checkDuring: async () =>
      expect(await Promise.all(cluster.processes.map(askReady))).toEqual(cluster.processes.map(() => 503)),
    mend: () => freeDisk(disk ?? ''),
    mayRepeatMessages: true,
    stopsAll: { answeredWithinSeconds: 5 },
    skip: () => (disk === undefined ? 'no disk can be mounted here' : undefined),
  },
]

describe('under a steady demand', () => {
  it.for(faults)('nothing is lost or doubled when $name', async (fault, { skip }) => {
    const reason = fault.skip?.()
    if (reason !== undefined) return skip(reason)
    const index = faults.indexOf(fault)
    const demand = createDemand(cluster, { thinkMs: 300, firstIndex: index * 10_000 })
    const steady = { journeys: 120 + fault.seconds * 3, seconds: 40 + fault.seconds }
    const arriving = demand.arrive(steady)
    await pause(20_000) // for the figures before the fault
    const before = demand.traffic.take()
    const repeatedBefore = countRepeated()
    await fault.strike()
    const others = watchProcesses(cluster.processes.filter((_, number) => number !== fault.process))
    await pause(fault.seconds * 1_000)
    const quietMs = others.stop()
    await fault.checkDuring?.()
    const during = { ...demand.traffic.take(), longestQuietProcessMs: quietMs }
    await fault.mend()
    const mendedAtMs = performance.now()
    await arriving
    await demand.complete({ timeoutSeconds: 240 })
    const after = demand.traffic.take()
    printFigures(`${fault.name}, before`, before)
    printFigures(`${fault.name}, during`, during)
    printFigures(`${fault.name}, after`, after)
    const counts = await expectNothingLost(cluster, demand)
    const repeatedMessages = countRepeated() - repeatedBefore
    printFigures(`${fault.name}, in the database`, { ...counts, repeatedMessages })
    if (!fault.mayRepeatMessages) expect(repeatedMessages).toBe(0)
    expect(demand.errors).toEqual([])
    expect(counts.complete).toBe(steady.journeys)
    expect(during.bugs + after.bugs, demand.traffic.firstFailures().join('\n')).toBe(0)
    if (fault.stopsAll === undefined) {
      expect(during.longestGapMs).toBeLessThan(5_000)
      expect(during.longestQuietProcessMs).toBeLessThan(5_000)
    } else
      expect(demand.traffic.firstAnswerAfter(mendedAtMs)).toBeLessThan(
        fault.stopsAll.answeredWithinSeconds * 1_000,
      )
  })
})

/**
 * Asks each process each half second how many requests it has answered. `stop` returns the longest time in which one of them
 * gave no new answer, in milliseconds.
 */
function watchProcesses(processes: readonly Member[]) {
  const last = new Map<Member, { answers: number; atMs: number }>()
  const startMs = performance.now()
  let quietMs = 0
  const count = async (each: Member) => {
    const answers = (await each.countAnswers()) ?? 0
    const before = last.get(each) ?? { answers: 0, atMs: startMs }
    const nowMs = performance.now()
    quietMs = Math.max(quietMs, nowMs - before.atMs)
    if (answers > before.answers) last.set(each, { answers, atMs: nowMs })
  }
  const timer = setInterval(() => processes.forEach(each => void count(each)), 500)
  return {
    stop() {
      clearInterval(timer)
      return Math.round(quietMs)
    },
  }
}

/**
 * Returns how many times the SMS gateway got a message again with the same idempotency key. The key tells a gateway that it
 * must not send the message to the phone a second time.
 */
function countRepeated(): number {
  return [...cluster.gateway.accepted.values()].reduce((sum, times) => sum + times - 1, 0)
}

async function askReady({ port }: Member): Promise<number> {
  const { status } = await fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(10_000) })
  return status
}

function needsFaketime(): string | undefined {
  return findFaketime() === undefined ? 'libfaketime is missing' : undefined
}

/** Mounts a disk of `diskMegabytes` in memory. Returns undefined when this process may not, for example without root. */
function mountDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m,mode=755`, 'tmpfs', folder])
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return undefined // the test of the full disk says so
  }
}

function fillDisk(folder: string): void {
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize))
}

function freeDisk(folder: string): void {
  rmSync(join(folder, 'filler'))
}
