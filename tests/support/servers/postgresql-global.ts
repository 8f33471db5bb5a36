import type { TestProject } from 'vitest/node'
import { type Postgresql, startPostgresql } from './postgresql.ts'

let server: Postgresql | undefined

/**
 * For `globalSetup`: Vitest runs it once for each project that names this file, so each of them has its own PostgreSQL. Where
 * none can run, only the tests that need one fail.
 */
export async function setup(project: TestProject): Promise<void> {
  try {
    server = await startPostgresql()
    project.provide('postgresql', { kind: 'running', url: server.url('postgres'), label: server.label })
  } catch (error) {
    project.provide('postgresql', { kind: 'absent', reason: String(error) })
  }
}

export async function teardown(): Promise<void> {
  await server?.stop()
}
