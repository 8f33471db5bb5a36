import type { FormValues, Tab } from '#contract/application.ts'
import { copyFields, differingGroups, fieldGroups, haveSameAnswers } from '#contract/field-groups.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { createTurns } from '#device/create-turns.ts'
import type { Services } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import type { SaveResult } from '#store/drafts.ts'
import type { ConflictChoice } from '#sync/merge-draft.ts'
import type { ScreenForm } from '#sync/merge-screen-form.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import type { FormSaveResult } from './autosave.ts'
import type { FormMethods } from './form-hooks.ts'

type Parts = {
  services: Pick<Services, 'sync'>
  appId: ApplicationId
  form: FormMethods
  /** The draft that the form started from. */
  lastKnown: Draft
  /** Who types in this form. */
  applicantId?: string | undefined
  /** Returns the tab of the form that the applicant sees, or saw last; the draft contains it. */
  currentFormTab: () => Tab
  /** False while another browser tab has the form, and after the deletion: then this tab does not save (D32, LST13). */
  hasTabLock: () => boolean
  /** False after the end of the session: then the list of the drafts is empty, which an open form must not take for a loss. */
  isSignedIn: () => boolean
  /** The applicant has deleted the application in another tab (LST13). */
  onDeleted: () => void
  /** Whether these answers follow every rule. */
  isValid: (values: FormValues) => boolean
}

export type DraftSync = ReturnType<typeof createDraftSync>

/**
 * Saves and submits the open form. Copies into the form what the merge took from the server or from another tab. A field group
 * that the applicant edits during a save keeps its answers.
 */
export function createDraftSync({ services: { sync }, appId, form, lastKnown: initial, ...parts }: Parts) {
  const { currentFormTab, hasTabLock, isSignedIn, isValid, applicantId } = parts
  const formCopy = createFormCopy(form, initial)
  const { snapshot, copySaved, lastKnown, hasUnsaved } = formCopy
  const loss = createLoss()
  // The memory of this page knows the move to the server's id, also when the storage has been emptied since.
  const idNow = () => sync.serverIdOf(appId)

  function typedForm(values: FormValues): ScreenForm {
    return { values, tab: currentFormTab(), lastKnown: lastKnown(), applicantId, isValid }
  }

  const { write, isWriting } = createWrites({ ...parts, ...formCopy }, (kind, values) =>
    sync[kind](idNow(), typedForm(values)),
  )

  return {
    save: (): Promise<FormSaveResult> => write('save'),
    /**
     * Replaces the answers with earlier ones (D63). Resolves to false when nothing changes: another tab has the form or
     * has deleted the application, or this page may not write drafts or cannot open them (`SaveResult`).
     */
    async restore(values: FormValues): Promise<boolean> {
      const saved = await write('restore', values)
      return 'draft' in saved && saved.draft !== undefined
    },
    async submit(): Promise<SyncStatus> {
      if (!hasTabLock()) return { kind: 'not-saved' }
      const [atStart, knownAtStart] = [snapshot(), lastKnown()]
      const status = await sync.submit(idNow(), typedForm(atStart))
      // On a bad connection the answer takes long. A save that has ended since the press on Submit has copied newer answers. A
      // field that shows the submitted value may have been changed since, and changed back: it must keep this value.
      if ('draft' in status && lastKnown() === knownAtStart) copySaved(atStart, status.draft)
      return status
    },
    /** Call it after a flush of the autosave: the choice is compared with the saved draft. */
    async resolveConflicts(choice: ConflictChoice): Promise<void> {
      if (!hasTabLock()) return
      const atStart = snapshot()
      copySaved(atStart, await sync.resolveConflicts(idNow(), choice))
    },
    /** True when another tab or the sync has changed the saved draft since the form last copied its answers. */
    isOutdated(): boolean {
      const status = sync.status(appId)
      if (!('draft' in status)) return false
      const { values } = status.draft
      return !haveSameAnswers(values, lastKnown().values) && !isWriting(values)
    },
    hasUnsaved,
    /** True once when the device has lost a draft with unsent answers: the browser may have emptied the storage. */
    takeLoss: () => isSignedIn() && loss.take(sync.status(appId)),
  }
}

type WriteParts = Pick<Parts, 'hasTabLock' | 'onDeleted'> &
  Pick<ReturnType<typeof createFormCopy>, 'snapshot' | 'copySaved'>
type WriteKind = 'save' | 'restore'
type OtherTab = Extract<FormSaveResult, { kind: 'other-tab' }>

/**
 * The writes of the form, one after the other: a restore may take long, and must not replace what was typed since. `send`
 * begins a write.
 */
function createWrites(
  { hasTabLock, onDeleted, snapshot, copySaved }: WriteParts,
  send: (kind: WriteKind, values: FormValues) => Promise<SaveResult>,
) {
  const inTurn = createTurns()
  /** The sync emits a saved draft before the write ends. Without this value the form would write it again (D135). */
  let writing: FormValues | undefined

  return {
    /** Writes the answers of the form; with `restored` these earlier answers replace them. */
    write: (kind: WriteKind, restored?: FormValues): Promise<SaveResult | OtherTab> =>
      inTurn(async () => {
        if (!hasTabLock()) return { kind: 'other-tab' }
        const atStart = snapshot()
        writing = restored ?? atStart
        const saved = await send(kind, writing).finally(() => (writing = undefined))
        if (saved.kind === 'deleted') onDeleted()
        copySaved(atStart, saved.draft)
        return saved
      }),
    isWriting: (values: FormValues) => writing !== undefined && haveSameAnswers(values, writing),
  }
}

function createLoss() {
  /**
   * The draft as the device had it last; undefined before the first read, and after a loss. Undefined also when the
   * server does not know the application: the applicant may start another one with its answers, which moves the draft.
   */
  let seen: Draft | undefined

  return {
    take(status: SyncStatus): boolean {
      if ('draft' in status) seen = status.draft.stuck?.kind === 'gone' ? undefined : status.draft
      if (status.kind !== 'none' || !seen) return false
      const { values, base } = seen
      seen = undefined
      return base === undefined || !haveSameAnswers(values, base.values)
    },
  }
}

/** The answers on the screen, and the draft as the form saw it last, with which the next merge compares them. */
function createFormCopy(form: FormMethods, initial: Draft) {
  let lastKnown = initial
  const snapshot = (): FormValues => ({ ...form.getValues() })

  /**
   * Copies the saved answers of each field group that still has its answers of `atStart`, when the write began. A group that
   * was edited during the write keeps its answers; the next write merges it. Half of one date with half of another would be
   * an answer that the applicant has not given.
   */
  function copySaved(atStart: FormValues, draft: Draft | undefined) {
    if (!draft) return
    const now = snapshot()
    const changed = fieldGroups.filter(fields => !haveSameAnswers(draft.values, atStart, fields))
    const unedited = changed.filter(fields => haveSameAnswers(now, atStart, fields)).flat()
    for (const field of unedited.filter(each => now[each] !== draft.values[each]))
      form.setValue(field, draft.values[field])
    // A save that ran at the same time may have copied the same answers: that is no edit.
    const edited = changed
      .filter(fields => !haveSameAnswers(now, atStart, fields) && !haveSameAnswers(now, draft.values, fields))
      .flat()
    // The answers of the draft are the last known ones now, except in the groups that were edited: these keep the answers that
    // were known before. The next merge must not take the copied fields for changes that the applicant has typed.
    const values = copyFields(edited, lastKnown.values, draft.values)
    lastKnown = edited.length === 0 ? draft : { ...lastKnown, values }
  }

  return {
    snapshot,
    copySaved,
    lastKnown: () => lastKnown,
    /** When the form opens, true if it shows proven contacts that the draft does not have (PER14). */
    hasUnsaved: () => differingGroups(snapshot(), lastKnown.values).length > 0,
  }
}
