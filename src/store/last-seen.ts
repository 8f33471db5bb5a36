import type { Database } from './database.ts'
import { seal, sealBytes, unseal, unsealBytes } from './seal.ts'

/** Whose rows can be read and written, and with which key. */
export type Reader = { applicantId: string; key: CryptoKey }

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

export function createLastSeen(database: Database, owner: () => Promise<Reader | undefined>): LastSeen {
  const find = async (name: string) => {
    const reader = await owner()
    const row = reader && (await database.seen.get([reader.applicantId, name]))
    return reader && row && { key: reader.key, sealed: row.sealed, context: contextOf(reader, name) }
  }

  return {
    async keep(name, value) {
      const reader = await owner()
      if (!reader) return
      const sealed = await seal(reader.key, value, contextOf(reader, name))
      await database.seen.put({ applicantId: reader.applicantId, name, sealed })
    },
    async recall(name) {
      const found = await find(name)
      return found && unseal(found.key, found.sealed, found.context)
    },
    async keepFile(name, file) {
      const reader = await owner()
      if (!reader) return
      const sealed = await sealBytes(reader.key, await file.arrayBuffer(), contextOf(reader, name))
      await database.seen.put({ applicantId: reader.applicantId, name, sealed })
    },
    async recallFile(name) {
      const found = await find(name)
      const bytes = found && (await unsealBytes(found.key, found.sealed, found.context))
      return bytes && new Blob([bytes], { type: 'application/pdf' })
    },
    async remove(name) {
      const reader = await owner()
      if (reader) await database.seen.delete([reader.applicantId, name])
    },
  }
}

function contextOf({ applicantId }: Reader, name: string): string {
  return `${applicantId}/seen/${name}`
}
