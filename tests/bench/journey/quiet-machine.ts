import { cpus } from 'node:os'

const sampleMs = 3_000

/** Above this share the times of a run are not worth keeping. */
const quietShare = 0.15

export type OtherWork = { before: number; after: number }

/** Returns which share of the processors works while this process waits, from 0 to 1. */
export async function measureOtherWork(): Promise<number> {
  const before = readTimes()
  await new Promise(resolve => setTimeout(resolve, sampleMs))
  const after = readTimes()
  return (after.busyMs - before.busyMs) / (after.allMs - before.allMs)
}

export function isQuiet({ before, after }: OtherWork): boolean {
  return Math.max(before, after) <= quietShare
}

function readTimes(): { busyMs: number; allMs: number } {
  const times = cpus().map(({ times: each }) => each)
  const allMs = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0)
  return { busyMs: allMs - idleMs, allMs }
}
