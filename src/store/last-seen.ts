import type { Database } from './database.ts'
import type { Guard } from './guard.ts'
import type { Owner } from './owner.ts'
import { seal, sealBytes, unseal, unsealBytes } from './seal.ts'

/**
 * What the server last said of this applicant, for the time without a line (D23): sealed like the drafts, and
 * nobody's but theirs. A device that cannot keep it has simply seen nothing.
 */
export type LastSeen = {
  keep(name: string, value: unknown): Promise<void>
  recall(name: string): Promise<unknown>
  keepFile(name: string, file: Blob): Promise<void>
  recallFile(name: string): Promise<Blob | undefined>
  remove(name: string): Promise<void>
}

type Parts = { database: Database; guard: Guard; owner: () => Promise<Owner | undefined> }

export function createLastSeen({ database, guard, owner }: Parts): LastSeen {
  const find = async (name: string) => {
    const reader = await owner()
    const row = reader && (await guard(() => database.seen.get([reader.applicantId, name])))
    return reader && row && { key: reader.key, sealed: row.sealed, context: contextOf(reader, name) }
  }

  return {
    async keep(name, value) {
      const reader = await owner()
      if (!reader) return
      const sealed = await seal(reader.key, value, contextOf(reader, name))
      await guard(() => database.seen.put({ applicantId: reader.applicantId, name, sealed }))
    },
    async recall(name) {
      const found = await find(name)
      return found && unseal(found.key, found.sealed, found.context)
    },
    async keepFile(name, file) {
      const reader = await owner()
      if (!reader) return
      const sealed = await sealBytes(reader.key, await file.arrayBuffer(), contextOf(reader, name))
      await guard(() => database.seen.put({ applicantId: reader.applicantId, name, sealed }))
    },
    async recallFile(name) {
      const found = await find(name)
      const bytes = found && (await unsealBytes(found.key, found.sealed, found.context))
      return bytes && new Blob([bytes], { type: 'application/pdf' })
    },
    async remove(name) {
      const reader = await owner()
      if (reader) await guard(() => database.seen.delete([reader.applicantId, name]))
    },
  }
}

function contextOf({ applicantId }: Owner, name: string): string {
  return `${applicantId}/seen/${name}`
}
