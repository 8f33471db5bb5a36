import { readdirSync, readFileSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

/** Linux counts in hundredths of a second. */
const tickMicroseconds = 10_000

/** `parent`: the process id of the parent. `own` and `children`: CPU times in microseconds. */
type Times = { parent: number; own: number; children: number }

/** Returns the CPU time of a process so far, in microseconds; 0 when there is no such process. */
export function cpuOf(pid: number): number {
  return readTimes(pid).own
}

export function cpuOfThisProcess(): number {
  return cpuOf(process.pid)
}

/**
 * Returns the CPU time of all ended child processes, in microseconds. During a run of pgbench only its time is added.
 */
export function cpuOfPgbench(): number {
  return readTimes(process.pid).children
}

/** Returns the process id of the postmaster, the parent of every connection's process. */
export async function findPostmaster(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return readTimes(rows[0]?.pid ?? 0).parent
}

/** Returns the CPU time of all processes of a PostgreSQL so far, in microseconds, also of those that have ended. */
export function cpuOfPostgresql(postmaster: number): number {
  const { own, children } = readTimes(postmaster)
  const living = childrenOf(postmaster).map(child => readTimes(child).own)
  return living.reduce((sum, time) => sum + time, own + children)
}

/** Returns the RAM of all processes of a PostgreSQL, in bytes. What several of them share counts once. */
export function memoryOfPostgresql(postmaster: number): number {
  return [postmaster, ...childrenOf(postmaster)].reduce((sum, each) => sum + readShareOfRam(each), 0)
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(each => readTimes(each).parent === pid)
}

/** The proportional set size (Pss), in bytes. */
function readShareOfRam(pid: number): number {
  try {
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Number(kibibytes) * 1_024
  } catch {
    return 0 // The process has just ended.
  }
}

function readTimes(pid: number): Times {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').map(Number) ?? []
    const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map(
      index => fields[index],
    )
    return {
      parent,
      own: (user + system) * tickMicroseconds,
      children: (childUser + childSystem) * tickMicroseconds,
    }
  } catch {
    return { parent: 0, own: 0, children: 0 } // The process has just ended.
  }
}
