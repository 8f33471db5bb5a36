import type { KyselyPlugin } from 'kysely'
import { createApp } from '#server/start/app.ts'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import type { TestServer } from './test-server.ts'

/**
 * Returns a server that records the kind of each database statement of its calls, for example `SelectQueryNode`, because a
 * test can compare statements exactly, but times only roughly. The outbox and the reconciler stay unrecorded. `takeKinds`
 * returns the kinds since its last call. `haveAllSucceeded`: every statement has returned its result. A plugin of Kysely learns
 * nothing of a failure, so after a failed statement this stays false.
 */
export function recordStatements(
  server: TestServer,
  settings: RecordSettings = {},
): { server: TestServer; takeKinds: () => string[]; haveAllSucceeded: () => boolean } {
  const { services, ...recorded } = recordStatementsOf(server.services, settings)
  return { server: { ...server, services, app: createApp(services) }, ...recorded }
}

/** `except`: a table whose inserts are left out, because they follow an answer at any time. */
type RecordSettings = { except?: keyof Schema }

/** As `recordStatements`, for work that is no call. */
export function recordStatementsOf(
  services: Services,
  { except }: RecordSettings = {},
): { services: Services; takeKinds: () => string[]; haveAllSucceeded: () => boolean } {
  let seen: string[] = []
  let withoutResult = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      const into = node.kind === 'InsertQueryNode' ? node.into?.table.identifier.name : undefined
      if (into === undefined || into !== except) seen.push(node.kind)
      withoutResult += 1
      return node
    },
    async transformResult({ result }) {
      withoutResult -= 1
      return result
    },
  }
  return {
    services: { ...services, db: services.db.withPlugin(plugin) },
    takeKinds() {
      const taken = seen
      seen = []
      return taken
    },
    haveAllSucceeded: () => withoutResult === 0,
  }
}
