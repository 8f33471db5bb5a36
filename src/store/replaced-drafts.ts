import type { FormValues } from '#contract/application.ts'
import { haveSameAnswers } from '#contract/field-groups.ts'
import type { Draft } from './draft.ts'
import type { CurrentDraft } from './draft-context.ts'
import { answersToKeep, type ChangeCause } from './revision-rule.ts'

/** One draft and the draft that takes its place. `answersToKeep` says which lost answers become a revision (D63). */
export type Replacement = { before: Draft | undefined; after: Draft | undefined; cause: ChangeCause }

/**
 * Returns what one write replaces: the draft of the row and, when this page has an unsaved draft, also that draft (no
 * row has its answers) and the draft merged from both, if its answers are not those of the row.
 */
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
 * Returns the answers that should have become revisions but did not: the storage failed, or it took the draft without
 * the revisions. `now`: wall clock, milliseconds.
 */
export function droppedAnswers(replacements: readonly Replacement[], now: number): FormValues[] {
  return replacements.flatMap(each => answersToKeep({ ...each, newest: undefined, lastAt: now, now }))
}
