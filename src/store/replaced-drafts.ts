import type { FormValues } from '#contract/application.ts'
import { haveSameAnswers } from '#contract/field-groups.ts'
import type { Draft } from './draft.ts'
import type { CurrentDraft } from './draft-context.ts'
import { answersToKeep, type ChangeCause } from './revision-rule.ts'

/** One draft and the draft that takes its place. `answersToKeep` says which lost answers become a revision (D63). */
export type Replacement = { before: Draft | undefined; after: Draft | undefined; cause: ChangeCause }

/** Returns what one write replaces: the row, and the unsaved draft of this page, whose answers no row has. */
export function replacementsOf(
  { row: { draft: stored }, memory, draft: before }: CurrentDraft,
  { after, cause }: Pick<Replacement, 'after' | 'cause'>,
): Replacement[] {
  const row = { before: stored, after, cause }
  const unsaved = memory.unsaved?.draft
  if (!unsaved) return [row]
  const merge = { before: unsaved, after: before, cause: { kind: 'other' } } as const
  const isStored =
    before === undefined || (stored !== undefined && haveSameAnswers(before.values, stored.values))
  return isStored ? [merge, row] : [merge, { before, after, cause }, row]
}

/**
 * Returns the answers to keep of replacements that get no revisions: the storage failed, so they happen in the memory
 * of the page, or the storage took the draft without the revisions. `now`: wall clock, milliseconds.
 */
export function droppedAnswers(replacements: readonly Replacement[], now: number): FormValues[] {
  return replacements.flatMap(each => answersToKeep({ ...each, newest: undefined, lastAt: now, now }))
}
