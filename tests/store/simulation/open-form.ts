import type { FormValues } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { createAutosave, type FormSaveResult } from '#screens/form/autosave.ts'
import { createDraftSync } from '#screens/form/draft-sync.ts'
import type { FormMethods } from '#screens/form/form-hooks.ts'
import { resolveConflict } from '#screens/form/resolve-conflict.ts'
import { createTabLock } from '#screens/form/tab-lock.ts'
import type { Draft } from '#store/draft.ts'
import type { Sync } from '#sync/engine.ts'
import type { PendingWrites } from '#sync/pending-writes.ts'
import type { FakeServer } from './fake-server.ts'
import { differingFields, type PageMemory, type ReportedAnswers } from './reported-answers.ts'
import { type AnswerField, answerFields, type GroupField } from './story-names.ts'
import { type ShownGroups, withPart } from './typed-groups.ts'
import type { PhoneName, TypedField } from './story.ts'
import type { TabDevice } from './tab-device.ts'

type Parts = {
  applicationId: string
  /** Who types; undefined in the stories with one applicant. */
  applicantId: string | undefined
  phoneName: PhoneName
  lastKnown: Draft
  isRestored: boolean
  isSignedIn: () => boolean
  sync: Sync
  device: TabDevice
  pendingWrites: PendingWrites
  reportedAnswers: ReportedAnswers
  shownGroups: ShownGroups
  /** False once a shared device has begun to delete the answers of this applicant, until the next sign-in. */
  mayClaim: () => boolean
  /** The memory of the page for the applicant who is signed in now. */
  memory: () => PageMemory
  /** The answers on the disk of the phone, also earlier ones. */
  storedForms: () => readonly FormValues[]
  server: Pick<FakeServer, 'read' | 'everHadAnswer'>
  /** Whether a write of this page is on the disk, and the page does not know it yet. */
  hasUnreportedWrite: () => boolean
  /** Whether the answers follow every rule. */
  isValid: () => boolean
  onFault: (text: string) => void
  onChange: () => void
}

export type OpenForm = ReturnType<typeof openForm>

type TypedBack = {
  value: string
  /** The answer that `value` has replaced. */
  over: string
  /** Whether the page knew that the server has `over`. Then `value` is a change, which must win (D32). */
  isChange: boolean
  /** The device could not save it: only the memory of this page has it. */
  isInMemory: boolean
  /** The other pages in which the applicant had typed over `value` before. They may still be saving. */
  typedOverIn: ReadonlySet<PageMemory>
}

/** The open form of a tab: the real autosave, the real merge of saved answers and the real lock of the form (D32). */
export function openForm(parts: Parts) {
  const {
    applicationId,
    applicantId,
    phoneName,
    lastKnown,
    isRestored,
    isSignedIn,
    sync,
    device,
    pendingWrites,
    reportedAnswers,
    shownGroups,
    mayClaim,
    memory,
    storedForms,
    server,
    hasUnreportedWrite,
    isValid,
    onFault,
    onChange,
  } = parts
  let values = lastKnown.values
  /** The fields that were typed since the last save began, and those of saves that failed. */
  const unsaved = new Set<AnswerField>()
  const typed = new Set<AnswerField>()
  /** Every answer that this form has shown. */
  const shown = new Set<string>()
  let saved: Draft | undefined
  /** The draft with which the last save has compared the form. */
  let comparedWith: Draft | undefined
  /** The last answer that was typed, and the one that it replaced. */
  let lastTyped: { field: TypedField; value: string; before: string } | undefined
  /** The answers that the applicant has typed back. */
  const typedBack = new Map<AnswerField, TypedBack>()
  /** What the save that runs now writes. */
  let saving: { sent: FormValues; fields: readonly AnswerField[] } | undefined
  let endRestore: (() => void) | undefined
  /** Whether this tab had the form before its lock changed last. */
  let hadForm = true
  const id = toApplicationId(applicationId)
  // The device has what a lock of the form uses.
  const tabLock = createTabLock(device as Parameters<typeof createTabLock>[0], () =>
    sync.serverIdOf(applicationId),
  )
  const draftSync = createDraftSync({
    services: { sync: { ...sync, save: rememberSaved, restore: rememberRestored } },
    appId: id,
    form: formMethods(
      () => values,
      (next: FormValues) => show(next),
    ),
    lastKnown,
    applicantId,
    currentFormTab: () => 'GeneralData',
    hasTabLock: () => tabLock.state() === 'this-tab',
    isSignedIn,
    onDeleted: tabLock.formDeleted,
    isValid,
  })
  const autosave = createAutosave({
    origin: isRestored ? 'device' : 'server',
    after: (delayMs, run) => device.after(delayMs, run),
    save: () => claimSaved(() => draftSync.save()),
  })

  function show(next: FormValues) {
    values = next
    for (const field of answerFields) shown.add(`${field} ${next[field]}`)
  }

  async function rememberSaved(...args: Parameters<Sync['save']>) {
    const result = await sync.save(...args)
    saved = result.draft
    comparedWith = args[1].lastKnown
    if (result.kind === 'saved') endRestore?.()
    return result
  }

  /** On a full disk the restored answers are in the memory of the page, and replace others when the disk has room again. */
  async function rememberRestored(...args: Parameters<Sync['restore']>) {
    const result = await sync.restore(...args)
    if (result.kind !== 'saved') endRestore = reportedAnswers.beginRestore()
    return result
  }

  /** Claims what was typed before the save began, once the page has reported it as saved. */
  async function claimSaved(save: () => Promise<FormSaveResult>): Promise<FormSaveResult> {
    const sent = values
    const taken = [...unsaved]
    const pageMemory = memory()
    if (tabLock.state() === 'this-tab') followUnsaved()
    unsaved.clear()
    saving = { sent, fields: taken }
    const result = await save()
    saving = undefined
    replaceUnseen()
    if (result.kind === 'saved') checkTypedBack(sent, saved)
    if (result.kind === 'saved' && mayClaim())
      // A merge may have replaced the answer, also in the form: then it must be an earlier answer. What the applicant
      // has typed over during the save is not claimed.
      for (const field of taken.filter(each => !unsaved.has(each))) {
        if (pageMemory.isLost && isDroppedUnchanged(field, sent[field])) continue
        if (isLostUnchanged(field, sent[field])) {
          reportedAnswers.release(field, sent[field])
          continue
        }
        const back = typedBack.get(field)
        const isTypedBack = back?.value === sent[field]
        const typedOverIn = new Set(isTypedBack ? back.typedOverIn : [])
        const mayBeReplaced = saved?.values[field] !== sent[field] || isTypedBack
        const origin = { openedAs: applicationId, mayBeReplaced, isTypedBack, typedOverIn }
        reportedAnswers.claim(field, sent[field], origin)
      }
    else if (result.kind !== 'saved') {
      for (const field of taken) unsaved.add(field)
      if (result.kind === 'not-saved' && saved) holdInMemory(saved, taken)
      if (result.kind === 'not-saved')
        for (const [field, each] of typedBack) each.isInMemory ||= taken.includes(field)
    }
    if (result.kind === 'saved') for (const field of taken) if (!unsaved.has(field)) typedBack.delete(field)
    return result
  }

  /**
   * Whether the save has dropped `value`, because it found no change: the draft that it compared with the form had
   * `value` too. When the page has forgotten its memory during the save, it was the memory that had `value`. This form
   * is then closed in the portal, because no form outlives the session of its page: nobody reads that `value` is saved
   * (D31).
   */
  function isDroppedUnchanged(field: AnswerField, value: string): boolean {
    const now = saved?.values[field]
    return now !== undefined && now !== value && comparedWith?.values[field] === value
  }

  /**
   * Whether the draft has kept another answer than `value`, which was typed back, and which the save has dropped. So the
   * draft keeps what the applicant had typed over `value` in another form before (D75).
   */
  function isLostUnchanged(field: AnswerField, value: string): boolean {
    const back = typedBack.get(field)
    const now = saved?.values[field]
    if (now === undefined || !isDroppedUnchanged(field, value)) return false
    const typedIn = reportedAnswers.memoryOf({ field, value: now })
    return back?.value === value && typedIn !== undefined && back.typedOverIn.has(typedIn)
  }

  /** The device could not save these answers: the page promises to keep them (D63). */
  function holdInMemory(draft: Draft, taken: readonly AnswerField[]) {
    // A draft has one time for all its answers. So earlier answers of this page also win over what another tab has saved since
    // (D32), if the memory of this page still has them.
    for (const field of answerFields) {
      const value = draft.values[field]
      if (reportedAnswers.memoryOf({ field, value }) === memory())
        reportedAnswers.onUnsaved(field, value, device.monotonic())
    }
    if (!mayClaim()) return
    for (const field of taken)
      if (!typedBack.has(field) && draft.values[field] === values[field])
        reportedAnswers.addInMemory({
          field,
          value: values[field],
          memory: memory(),
          openedAs: applicationId,
        })
  }

  /** The applicant has replaced `over` in this form, so no merge with an older write may bring it back (D30). */
  function checkTypedBack(sent: FormValues, draft: Draft | undefined) {
    for (const [field, { value, over }] of typedBack)
      if (
        sent[field] === value &&
        draft?.values[field] === over &&
        !reportedAnswers.mayReplaceAnswer(field, value) &&
        !isReplacedByServer(field, draft)
      )
        onFault(`the answer ${over} of ${field} has replaced ${value}, which the applicant typed later`)
  }

  /**
   * Whether the server explains that the draft has `over` again. Only the memory of this page has `value`, and the row, which
   * the other pages read, still has `over`. Two ways lead there (D32):
   * - This page has sent `value`: the row is then older than the server's copy, and takes `value` from it at its next read.
   * - Another page has sent `over` from the row: the server's copy wins, if `value` is no change in the memory of this page.
   */
  function isReplacedByServer(field: AnswerField, { base }: Draft): boolean {
    const { value, over, isChange, isInMemory } = typedBack.get(field) ?? {}
    if (value === undefined || !isInMemory || base?.values[field] !== over) return false
    const { values: onServer } = server.read(sync.serverIdOf(applicationId)) ?? {}
    return onServer?.[field] === value || (!isChange && server.everHadAnswer({ field, value }))
  }

  /**
   * Another tab may have saved an answer that this form did not show when the applicant typed. What is typed back then
   * replaces that answer, which becomes an earlier answer (D75).
   */
  function replaceUnseen() {
    for (const field of typedBack.keys()) {
      const unseen = storedForms().filter(form => !shown.has(`${field} ${form[field]}`))
      reportedAnswers.mayReplaceField(field, unseen)
    }
  }

  /** The server's copy has replaced what only the memory of this page had, also an answer that was typed back. */
  function replaceTypedBack() {
    for (const [field, { value }] of typedBack)
      if (saved?.values[field] === value) reportedAnswers.mayReplaceField(field, [saved.values])
  }

  /** The server's copy has replaced what a save has written, before this page learns that the disk has taken the save. */
  function replaceUnreported() {
    if (!saving || !hasUnreportedWrite()) return
    const { sent, fields } = saving
    const stored = storedForms()
    for (const field of fields) {
      reportedAnswers.mayReplaceField(field, [sent])
      // On a full disk the page keeps what the copy has replaced, for its next write (D63).
      if (mayClaim() && !stored.some(form => form[field] === sent[field]))
        reportedAnswers.addInMemory({ field, value: sent[field], memory: memory(), openedAs: applicationId })
    }
  }

  const typedHere = () => ({
    atMs: device.monotonic(),
    phoneMs: device.now(),
    phone: phoneName,
    memory: memory(),
  })

  function enter(field: TypedField, value: string) {
    unsaved.add(field)
    typed.add(field)
    reportedAnswers.release(field, values[field], memory())
    reportedAnswers.onTyped(field, value, typedHere())
    show({ ...values, [field]: value })
    autosave.changed()
  }

  /** As `enter`, in one field of a group. It may clear other fields of the group. */
  function enterPart(field: GroupField, value: string) {
    const next = withPart(values, field, value)
    if (!next) return
    for (const each of differingFields(values, next)) {
      unsaved.add(each)
      typed.add(each)
      reportedAnswers.release(each, values[each])
    }
    reportedAnswers.onTyped(field, value, typedHere())
    shownGroups.onTyped(next)
    show(next)
    autosave.changed()
  }

  function followUnsaved() {
    for (const field of unsaved) reportedAnswers.onUnsaved(field, values[field], device.monotonic())
  }

  /** A save may wait long for the disk: while its tab has the form, the tab still shows answers that it has not saved. */
  function followSaving() {
    if (!saving) return
    const { sent, fields } = saving
    for (const field of fields) reportedAnswers.onUnsaved(field, sent[field], device.monotonic())
  }

  /**
   * Another tab may take the form by force while a save of this tab still waits for the disk: this tab has shown the answers of
   * that save until this moment, and the oracle may have checked last long before it (D75).
   */
  function followLock() {
    if (hadForm && tabLock.state() === 'other-tab') followSaving()
    hadForm = tabLock.state() === 'this-tab'
  }

  /** This tab has the form back from another tab, and saves the answers that it shows and has not saved yet (D32). */
  function takeBackForm() {
    // In the other tab the applicant may have typed the answer again that was typed over here: it is the newest one.
    for (const [field, { value, over }] of typedBack)
      if (reportedAnswers.wasTypedAfter({ field, value: over }, { field, value })) typedBack.delete(field)
    followUnsaved()
    autosave.changed()
  }

  // As `watchForm` does.
  function copyChanges() {
    if (draftSync.isOutdated() || draftSync.takeLoss()) autosave.changed()
  }

  const stops = [
    sync.subscribe(() => {
      copyChanges()
      onChange()
    }),
    autosave.subscribe(onChange),
    tabLock.start({ flush: () => autosave.flush(), onTakenBack: takeBackForm }),
    pendingWrites.add(() => autosave.flush()),
    tabLock.subscribe(followLock),
  ]
  copyChanges()
  show(values)

  return {
    id: applicationId,
    values: () => values,
    typed: () => typed,
    isDeleted: () => tabLock.state() === 'deleted',
    hasUnsaved: () => unsaved.size > 0,
    saveState: autosave.state,
    onReplaced() {
      replaceTypedBack()
      replaceUnreported()
    },
    followSaving() {
      if (tabLock.state() === 'this-tab') followSaving()
    },
    flush: autosave.flush,
    type(field: TypedField, value: string) {
      // The form is read-only while another tab has it.
      if (tabLock.state() === 'other-tab') return tabLock.acquire()
      typedBack.delete(field)
      const before = values[field]
      lastTyped = { field, value, before }
      enter(field, value)
    },
    typePart(field: GroupField, value: string) {
      if (tabLock.state() === 'other-tab') return tabLock.acquire()
      lastTyped = undefined
      enterPart(field, value)
    },
    typeBack() {
      const { field, value: over, before } = lastTyped ?? {}
      // When an answer from elsewhere has replaced the typed one, there is nothing to type back.
      if (field === undefined || over === undefined || before === undefined || values[field] !== over) return
      if (tabLock.state() !== 'this-tab') return
      lastTyped = undefined
      const status = sync.status(applicationId)
      const isChange = 'draft' in status && status.draft?.base?.values[field] === over
      const pages = reportedAnswers.pagesTypedOver(field, before)
      const typedOverIn = new Set(pages.filter(page => page !== memory()))
      typedBack.set(field, { value: before, over, isChange, isInMemory: false, typedOverIn })
      replaceUnseen()
      enter(field, before)
      // It counts again from now on, also when another tab, which still shows it, reports it as saved.
      reportedAnswers.takeBack(field, before)
    },
    async submit() {
      await autosave.flush()
      await draftSync.submit()
    },
    async choose(theirs: boolean) {
      await autosave.flush()
      const status = sync.status(applicationId)
      if (status.kind !== 'conflict' || tabLock.state() === 'other-tab') return
      const side = theirs ? 'theirs' : 'mine'
      const picks = Object.fromEntries(status.conflicts.map(({ fields }) => [fields[0] ?? '', side] as const))
      const picked = resolveConflict(status, picks)
      if (!picked) return
      for (const { mine, theirs: other } of status.conflicts)
        for (const field of differingFields(mine, other))
          if (status.conflicts.some(({ fields }) => fields.includes(field)))
            reportedAnswers.release(field, (theirs ? mine : other)[field])
      await draftSync.resolveConflicts({ picked, shown: status.draft })
    },
    async restore(earlier: FormValues) {
      await autosave.flush()
      const present = values
      if (tabLock.state() === 'other-tab') return
      for (const field of differingFields(present, earlier)) reportedAnswers.release(field, present[field])
      const end = reportedAnswers.beginRestore()
      await draftSync.restore(earlier).finally(end)
      // Another tab may have saved answers that this form did not show yet, before or during the restore.
      reportedAnswers.mayReplace(storedForms())
    },
    close() {
      for (const stop of stops) stop()
      return autosave.flush()
    },
    /** The tab is dead: it does not give its lock back itself (`dropTab`). */
    drop: () => stops.slice(0, 2).forEach(stop => stop()),
  }
}

/** The two methods of the form library that saving uses. */
function formMethods(read: () => FormValues, write: (values: FormValues) => void): FormMethods {
  const methods: Pick<FormMethods, 'setValue'> & { getValues: (field?: keyof FormValues) => unknown } = {
    getValues: field => (field === undefined ? read() : read()[field]),
    setValue: (field, value) => write({ ...read(), [field]: value }),
  }
  return methods as FormMethods // `draft-sync.ts` uses no other method
}
