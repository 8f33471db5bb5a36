import type { KyselyPlugin } from 'kysely'
import { createApp } from '#server/start/app.ts'
import type { TestServer } from './test-server.ts'

/**
 * Returns the server with counted database statements. A test can compare work exactly, but time only roughly. `readCounts`
 * returns the kind of each statement since the last call.
 */
export function countStatements(server: TestServer): { server: TestServer; readCounts(): string[] } {
  let seen: string[] = []
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      seen.push(node.kind)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const services = { ...server.services, db: server.services.db.withPlugin(plugin) }
  return {
    server: { ...server, services, app: createApp(services) },
    readCounts() {
      const taken = seen
      seen = []
      return taken
    },
  }
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
