import type { KyselyPlugin } from 'kysely'
import { createApp } from '#server/start/app.ts'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import type { TestServer } from './test-server.ts'

/**
 * Returns a server that records the kind of each database statement, for example `SelectQueryNode`, because a test can
 * compare statements exactly, but times only roughly. `takeKinds` returns the kinds since its last call.
 */
export function recordStatements(
  server: TestServer,
  settings: RecordSettings = {},
): { server: TestServer; takeKinds: () => string[] } {
  const { services, takeKinds } = recordStatementsOf(server.services, settings)
  return { server: { ...server, services, app: createApp(services) }, takeKinds }
}

/** `except`: a table whose inserts are left out, because they follow an answer at any time. */
type RecordSettings = { except?: keyof Schema }

/** As `recordStatements`, for work that is no call. */
export function recordStatementsOf(
  services: Services,
  { except }: RecordSettings = {},
): { services: Services; takeKinds: () => string[] } {
  let seen: string[] = []
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      const into = node.kind === 'InsertQueryNode' ? node.into?.table.identifier.name : undefined
      if (into === undefined || into !== except) seen.push(node.kind)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    services: { ...services, db: services.db.withPlugin(plugin) },
    takeKinds() {
      const taken = seen
      seen = []
      return taken
    },
  }
}
