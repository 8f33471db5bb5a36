import { type FormValues, readForm } from '#contract/application.ts'
import type { Database, KeyRow } from './database.ts'
import { seal, unseal } from './seal.ts'

export type Draft = { values: FormValues; tab: string; savedAt: number }

/** What became of a write: the truth line says nothing else (D30). */
export type Kept = { kind: 'kept' } | { kind: 'not-kept' }

/** The forms in progress of the applicant who is signed in; nobody else's can be read. */
export type Drafts = {
  read(applicationId: string): Promise<Draft | undefined>
  write(applicationId: string, draft: Omit<Draft, 'savedAt'>): Promise<Kept>
  remove(applicationId: string): Promise<void>
}

export function createDrafts(database: Database, now: () => number): Drafts {
  return {
    async read(applicationId) {
      const owner = await database.keys.get('current').catch(() => undefined)
      if (!owner) return undefined
      const row = await database.drafts.get([owner.applicantId, applicationId])
      const values = row && (await unseal(owner.key, row.sealed, contextOf(owner, applicationId)))
      return row && values ? { values: readForm(values), tab: row.tab, savedAt: row.savedAt } : undefined
    },
    async write(applicationId, { values, tab }) {
      try {
        const owner = await database.keys.get('current')
        if (!owner) return { kind: 'not-kept' }
        const sealed = await seal(owner.key, values, contextOf(owner, applicationId))
        await database.drafts.put({
          applicantId: owner.applicantId,
          applicationId,
          sealed,
          tab,
          savedAt: now(),
        })
        return { kind: 'kept' }
      } catch {
        // Quota, private mode, a store that the system closed: the form goes on in memory and says so.
        return { kind: 'not-kept' }
      }
    },
    async remove(applicationId) {
      const owner = await database.keys.get('current')
      if (owner) await database.drafts.delete([owner.applicantId, applicationId])
    },
  }
}

function contextOf(owner: KeyRow, applicationId: string): string {
  return `${owner.applicantId}/${applicationId}`
}
