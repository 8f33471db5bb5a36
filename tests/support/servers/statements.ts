import type { KyselyPlugin } from 'kysely'
import { createApp } from '#server/start/app.ts'
import type { TestServer } from './test-server.ts'

/**
 * Returns a server that records the kind of each database statement, for example `SelectQueryNode`, because a test can
 * compare statements exactly, but times only roughly. `takeKinds` returns the kinds since its last call.
 */
export function recordStatements(server: TestServer): { server: TestServer; takeKinds(): string[] } {
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
    takeKinds() {
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
