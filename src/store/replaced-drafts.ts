import { fieldNames } from '#contract/application.ts'
import type { Draft } from './draft.ts'
import type { ChangeCause } from './revision-rule.ts'

/** One draft and the draft that takes its place: each answer that is lost on the way becomes a revision (D63). */
export type Replacement = { before: Draft | undefined; after: Draft | undefined; cause: ChangeCause }

type Write = Replacement & {
  /** The draft of the row, which this write replaces. */
  stored: Draft | undefined
  /** The draft that this page could not save; `before` is the merge of both. Undefined without one. */
  unsaved: Draft | undefined
}

/** Returns what one write replaces: the row, and an unsaved draft, whose answers no row has. */
export function replacementsOf({ stored, unsaved, before, after, cause }: Write): Replacement[] {
  const row = { before: stored, after, cause }
  if (!unsaved) return [row]
  const merge = { before: unsaved, after: before, cause: { kind: 'other' } } as const
  const isStored = before === undefined || (stored !== undefined && hasSameAnswers(before, stored))
  return isStored ? [merge, row] : [merge, { before, after, cause }, row]
}

function hasSameAnswers(one: Draft, other: Draft): boolean {
  return fieldNames.every(field => one.values[field] === other.values[field])
}
