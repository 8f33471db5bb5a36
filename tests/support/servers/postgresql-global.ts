import type { TestProject } from 'vitest/node'
import { type Postgresql, startPostgresql } from './postgresql.ts'

let server: Postgresql | undefined

/** For `globalSetup`: one PostgreSQL for the whole run. Where none can run, only the tests that need one fail. */
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
