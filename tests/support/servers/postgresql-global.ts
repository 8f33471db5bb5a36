import type { TestProject } from 'vitest/node'
import { type Postgresql, startPostgresql } from './postgresql.ts'

/** Each project loads this module again, so the PostgreSQL that all projects of a run share is a global of the process. */
const key = Symbol.for('passport-portal: the PostgreSQL of the test run')
const holder: { [key]?: { server: Promise<Postgresql>; projectCount: number } } = globalThis as object

/**
 * For `globalSetup`: Vitest runs it once for each project that names this file. Where no PostgreSQL can run, only the tests
 * that need one fail.
 */
export async function setup(project: TestProject): Promise<void> {
  const run = (holder[key] ??= { server: startPostgresql(), projectCount: 0 })
  run.projectCount += 1
  try {
    const server = await run.server
    project.provide('postgresql', { kind: 'running', url: server.url('postgres'), label: server.label })
  } catch (error) {
    project.provide('postgresql', { kind: 'absent', reason: String(error) })
  }
}

export async function teardown(): Promise<void> {
  const run = holder[key]
  if (run === undefined) return
  run.projectCount -= 1
  if (run.projectCount > 0) return
  delete holder[key]
  const server = await run.server.catch(() => undefined)
  await server?.stop()
}
