import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { type Postgresql, startPostgresql } from '#support/servers/postgresql.ts'
import { chooseParts } from './parts.ts'
import { buildServer } from './processes.ts'
import type { Row } from './rows.ts'

/**
 * Runs the usual benchmarks on one PostgreSQL that syncs to disk; the part `starts` also uses the embedded database.
 * `--only` with the name of a part runs that part alone, to compare before and after a change.
 * `--only soak --minutes 34` tells whether the memory grows. `--applications 1000000` runs only the part
 * `large-tables`, with this number of applications. Prints the figures and writes them to bench/server.md.
 *
 * @throws when the options do not fit, before anything is built or started
 */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '4' },
      applications: { type: 'string' },
      only: { type: 'string' },
    },
  })
  const parts = chooseParts(values)
  // Read before the build, which itself loads the machine.
  const load = loadavg()[0] ?? 0
  buildServer()
  const postgresql = await startPostgresql({ durable: true })
  const machine = `${postgresql.label}, Node ${process.versions.node}, ${availableParallelism()} cores, load before ${load.toFixed(1)}`
  try {
    const rows: Row[] = []
    for (const { run } of parts) rows.push(...(await run(name => createDatabase(postgresql, name))))
    report(rows, machine)
  } finally {
    await postgresql.stop()
  }
}

async function createDatabase(postgresql: Postgresql, name: string): Promise<string> {
  const client = new Client({ connectionString: postgresql.url('postgres') })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return postgresql.url(name)
}

function report(rows: Row[], machine: string): void {
  const width = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map(
    ({ name, measured, goal }) => `${name.padEnd(width)}  ${measured.padEnd(16)}  ${goal}`,
  )
  process.stdout.write(`\n${machine}\n\n${lines.join('\n')}\n`)
  const table = rows.map(({ name, measured, goal }) => `| ${name} | ${measured} | ${goal} |`)
  mkdirSync('bench', { recursive: true })
  const head = [`# Benchmark of the server`, '', machine, '', '| figure | measured | goal |', '|---|--:|--:|']
  writeFileSync('bench/server.md', [...head, ...table, ''].join('\n'))
}
