import type { KyselyPlugin } from 'kysely'
import { createApp } from '#server/start/app.ts'
import type { TestServer } from './test-server.ts'

/**
 * The same server, whose statements to the database are counted: equal work is what can be held to exactly, where
 * equal time can only be looked at. Statements are counted by their root, so that two ways of the same length differ.
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
