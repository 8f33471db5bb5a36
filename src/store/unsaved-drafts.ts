import { emptyForm, type FormValues } from '#contract/application.ts'
import type { Draft } from './draft.ts'
import type { ReadRow } from './draft-rows.ts'

/**
 * Merges the stored draft with values that were typed on an earlier version of it, `lastKnown`. The caller provides
 * it, because the store does not know the merge rules of the form.
 */
export type MergeDrafts = (
  stored: Draft,
  typed: { values: FormValues; tab: string; lastKnown: Draft },
) => Draft

/** `revision` and `from` are those of the row that the draft is based on; `unread` when no row could be read. */
export type UnsavedDraft = {
  draft: Draft
  revision: number | undefined | 'unread'
  from: Draft | undefined
}

/** The drafts that this page holds in memory: those that the device could not save, and the rows read last. */
export type UnsavedDrafts = {
  has: (context: string) => boolean
  /** The unsaved draft, or the one that was read last. */
  lastKnown: (context: string) => Draft | undefined
  /** The drafts whose context starts with `prefix`, by the rest of their context. */
  all: (prefix: string) => [string, Draft][]
  /** The current draft for a row: the stored one, the unsaved one, or both merged when another tab has saved. */
  merge: (context: string, row: ReadRow) => Draft | undefined
  setLastRead: (context: string, row: ReadRow) => void
  setUnsaved: (context: string, unsaved: UnsavedDraft | undefined) => void
  /** Sets a draft when the storage fails; keeps the row that the previous unsaved draft was based on. */
  replaceUnsaved: (context: string, draft: Draft | undefined) => void
  forget: (context: string) => void
  clear: () => void
}

export function createUnsavedDrafts(mergeDrafts: MergeDrafts, onChange: () => void): UnsavedDrafts {
  const unsavedDrafts = new Map<string, UnsavedDraft>()
  const lastRead = new Map<string, ReadRow>()

  function setUnsaved(context: string, next: UnsavedDraft | undefined) {
    const before = unsavedDrafts.get(context)
    if (next) unsavedDrafts.set(context, next)
    else unsavedDrafts.delete(context)
    if (before?.draft !== next?.draft) onChange()
  }

  return {
    has: context => unsavedDrafts.has(context),
    lastKnown: context => unsavedDrafts.get(context)?.draft ?? lastRead.get(context)?.draft,
    all: prefix =>
      [...unsavedDrafts].flatMap(([context, { draft }]) =>
        context.startsWith(prefix) ? [[context.slice(prefix.length), draft] satisfies [string, Draft]] : [],
      ),
    merge(context, row) {
      const unsaved = unsavedDrafts.get(context)
      return unsaved ? mergeWithRow(unsaved, row, mergeDrafts) : row.draft
    },
    setLastRead: (context, row) => void lastRead.set(context, row),
    setUnsaved,
    replaceUnsaved(context, draft) {
      const row = lastRead.get(context)
      const origin =
        unsavedDrafts.get(context) ??
        (row ? { revision: row.revision, from: row.draft } : { revision: 'unread', from: undefined })
      setUnsaved(context, draft && { ...origin, draft })
    },
    forget(context) {
      lastRead.delete(context)
      setUnsaved(context, undefined)
    },
    clear() {
      unsavedDrafts.clear()
      lastRead.clear()
    },
  }
}

/** If another tab has changed the row, merges both drafts: neither overwrites the other silently. */
function mergeWithRow(unsaved: UnsavedDraft, row: ReadRow, mergeDrafts: MergeDrafts): Draft {
  const { draft } = unsaved
  if (!row.draft || row.revision === unsaved.revision) return draft
  const lastKnown = unsaved.from ?? { ...draft, values: draft.base?.values ?? emptyForm() }
  // Of two answers in the same field the later one is kept.
  const [first, last] = draft.savedAt < row.draft.savedAt ? [draft, row.draft] : [row.draft, draft]
  const { values, tab } = last
  return mergeDrafts({ ...row.draft, values: first.values }, { values, tab, lastKnown })
}
