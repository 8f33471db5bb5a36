import { type Draft, parseDraft } from '#store/draft.ts'
import type { DraftRow, Encrypted, RevisionRow } from '#store/database.ts'
import { type FormValues, readForm } from '#contract/application.ts'
import { isLocal } from '#sync/local-id.ts'
import { syncStatusOf } from '#sync/sync-status.ts'
import { createDeletions, type Deletions } from './deletions.ts'
import type { FakeServer } from './fake-server.ts'
import { type Claim, hasAnswer, type PageMemory, type ReportedAnswers } from './reported-answers.ts'
import type { OpenForm } from './open-form.ts'
import type { DurableRows } from './phone-storage.ts'
import type { Phone } from './phone.ts'
import { answerFields } from './story-names.ts'
import type { Tab } from './tab.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { groupOf, type ShownGroups } from './typed-groups.ts'
import { decryptRow } from './virtual-platform.ts'

const acceptsDrafts = true // the server accepts incomplete forms (D14)

type Parts = {
  /** Whose answers the oracle follows. */
  applicantId: string
  clock: VirtualClock
  server: FakeServer
  reportedAnswers: ReportedAnswers
  shownGroups: ShownGroups
  phones: readonly Phone[]
  /** The open tabs that show the data of this applicant. */
  tabs: () => readonly Tab[]
  /** All open tabs, also those of another applicant and those without a session. */
  openTabs: () => readonly Tab[]
}

export type Oracle = {
  /** Compares what every open page of this applicant says with the rows of the server and of the phones. */
  check: () => void
  /** With a good disk, each page with a session has saved what only its memory had, also the earlier answers (D63). */
  checkMemory: () => void
  /** With a good line, everything that does not wait for the applicant must be on the server. */
  checkEnd: () => void
  /** The server's copy has replaced answers of this phone. `memory`: that of the page that says so. */
  onAnswersReplaced: (phone: Phone, memory: PageMemory) => void
  /** A tab dies before it can report what the copy of the server has just replaced on the disk. */
  forgiveUnreported: () => void
  report: (fault: string) => void
  deletions: Deletions
  /** The server went back or lost an application: what no phone has is not the fault of the phones. */
  forgiveLostByServer: () => void
  /**
   * A shared device deletes earlier answers and what it has sent. An answer that the server had once is forgiven, also if the
   * server was restored since.
   */
  forgiveWiped: (phone: Phone, keptIds: readonly string[]) => void
  /** The applicant has agreed to lose what this phone could not send. */
  forgiveUnsent: (phone: Phone) => void
  faults: () => readonly string[]
}

/** The most events of the clock between a commit and the report of what the commit replaced. */
const eventsUntilReport = 2

export function createOracle(parts: Parts): Oracle {
  const { applicantId: ownerId, clock, server, reportedAnswers, shownGroups, phones, tabs, openTabs } = parts
  const faults = new Set<string>()
  const found = (text: string) => {
    if (faults.size === 0) faults.add(`after ${clock.elapsed()} ms: ${text}`)
  }

  const deletions = createDeletions({
    ...parts,
    formsOnDisk: (phone, isOf) => formsOfApplications(phone, ownerId, isOf),
  })
  const draftsOn = (phone: Phone) => draftsOf(phone, ownerId)
  const formsOn = (phone: Phone) => formsOf(phone, ownerId)
  const revisionsOn = (phone: Phone) => revisionsOf(phone, ownerId)

  /** On which phone the answer was typed. */
  const phoneOfAnswer = (answer: Pick<Claim, 'field' | 'value'>) =>
    phones.find(({ name }) => reportedAnswers.phoneOf(answer) === name)

  const onPhones = (claim: Pick<Claim, 'field' | 'value'>) =>
    phones.some(phone => hasAnswer(formsOn(phone), claim))
  const isKept = (claim: Claim) => onPhones(claim) || hasAnswer(server.forms(), claim)

  /**
   * Another form of the phone, which did not show this answer yet, typed over it: then the phone has it as an earlier answer
   * (D32, D63). That form was in another page, or of the application to which the draft of this answer has moved since. Returns
   * the memory of its page: this memory has the answer when the disk had no room for it as an earlier answer.
   */
  function findOvertyping({ field, value, openedAs }: Claim): PageMemory | undefined {
    const answer = { field, value }
    const phone = phoneOfAnswer(answer)
    if (!phone || hasAnswer(formsOn(phone), answer)) return undefined
    if (!hasAnswer(revisionsOn(phone), answer) && !phone.wasJustFull()) return undefined
    const hasMoved = isLocal(openedAs) && !draftsOn(phone).some(each => each.applicationId === openedAs)
    const newer = formsOn(phone)
      .flatMap(form => groupOf(field).map(each => ({ field: each, value: String(form[each]) })))
      .filter(other => reportedAnswers.phoneOf(other) === phone.name)
      .filter(other => reportedAnswers.isNewer(other, answer))
    return newer
      .map(reportedAnswers.memoryOf)
      .find(memory => hasMoved || memory !== reportedAnswers.memoryOf(answer))
  }

  function followOvertyping(claim: Claim) {
    const phone = phoneOfAnswer(claim)
    const { wasOnPhone } = claim
    claim.wasOnPhone = phone !== undefined && hasAnswer(formsOn(phone), claim)
    // The server's copy may have replaced this answer before. Then the memory of the page that wrote the copy still has the
    // answer, and no later answer of another page types over it.
    const memory = wasOnPhone ? findOvertyping(claim) : undefined
    if (!memory || claim.wasOvertyped) return
    claim.wasOvertyped = true
    // On a full disk the page keeps what it has typed over, for its next write (D63).
    if (!isKept(claim) && !isEarlierAnswer(claim))
      reportedAnswers.addInMemory({ ...memoryPartsOf(claim), memory })
  }

  /**
   * Whether the page may still report that the server's copy replaced this answer: it does so right after the commit of that
   * copy, with which the answer became an earlier answer, or which a full disk has saved without it.
   */
  function isReportPending(claim: Claim): boolean {
    claim.missingSince ??= clock.count()
    // The copy is on the disk, and the page that wrote it waits for the disk: it has not had the time to report.
    if (hasUnreportedWrite(claim)) claim.missingSince = clock.count()
    const isRecent = clock.count() - claim.missingSince <= eventsUntilReport
    return isRecent && (isEarlierAnswer(claim) || wasDiskJustFull(claim))
  }

  /**
   * On the phone where the answer was typed, or on one whose draft had it last: a shared device deletes what it has sent, and
   * then another phone may have the only copy, as the other side of a conflict.
   */
  const wasDiskJustFull = (claim: Claim) =>
    phones.some(
      phone => (phone === phoneOfAnswer(claim) || claim.lastOn.includes(phone.name)) && phone.wasJustFull(),
    )

  const isUnreported = (claim: Claim) => !isKept(claim) && isReportPending(claim)

  function hasUnreportedWrite(claim: Claim): boolean {
    const phone = phoneOfAnswer(claim)
    return openTabs().some(tab => tab.phone === phone && tab.storage.hanging.hasUnreported())
  }

  const isEarlierAnswer = (claim: Pick<Claim, 'field' | 'value'>) =>
    phones.some(each => hasAnswer(revisionsOn(each), claim))

  /**
   * When a write finds no space, the oldest earlier answers go, or the draft is written without new ones (D63): so a replaced
   * answer may be gone, but only if it went during the trouble. One that was gone before its page reported it may have gone since
   * it was typed, when only drafts fitted on the disk: another page has it in its memory.
   */
  function mayBeDropped(claim: Claim): boolean {
    if (!claim.isReplaced || isKept(claim) || isEarlierAnswer(claim)) return false
    const phone = phoneOfAnswer(claim)
    const wentBefore = !claim.wasKept && phone?.hadNoRoomSince(reportedAnswers.typedAt(claim))
    return wentBefore === true || wasDiskJustFull(claim)
  }

  /** The draft has what the applicant had typed over this answer in another page, before it was typed back in this one (D75). */
  function isTypedOverElsewhere(claim: Claim): boolean {
    const { field, typedOverIn } = claim
    const phone = phoneOfAnswer(claim)
    const pages = (phone ? formsOn(phone) : []).map(form =>
      reportedAnswers.memoryOf({ field, value: form[field] }),
    )
    return pages.some(page => page !== undefined && typedOverIn.has(page))
  }

  function checkClaims() {
    for (const claim of reportedAnswers.claims()) {
      const having = phones.filter(phone => hasAnswer(formsOn(phone), claim))
      if (having.length > 0) claim.lastOn = having.map(({ name }) => name)
      if (deletions.isRunning(claim)) continue
      // Typed back to what the server had, it was no change of this form: then a change of another device wins (D32).
      if (!isKept(claim) && claim.isTypedBack && server.everHadAnswer(claim)) {
        reportedAnswers.release(claim.field, claim.value)
        continue
      }
      if (!isKept(claim) && isTypedOverElsewhere(claim)) {
        reportedAnswers.release(claim.field, claim.value)
        continue
      }
      // The server or another phone may still have the answer, and lose it only later.
      followOvertyping(claim)
      if (!isKept(claim) && claim.wasOvertyped) claim.isReplaced = true
      if (!isKept(claim) && (claim.mayBeReplaced || reportedAnswers.isRestoring())) claim.isReplaced = true
      claim.wasKept ||= isKept(claim)
      claim.wasDropped ||= mayBeDropped(claim)
      if (isKept(claim) || claim.wasDropped || (claim.isReplaced && isEarlierAnswer(claim)))
        claim.missingSince = undefined
      else if (!isReportPending(claim))
        found(`the answer ${claim.value} of ${claim.field} is lost, although a page said that it was saved`)
    }
  }

  /** An answer that only the memory of a page had is safe once a phone or the server has it, or has had it (D63). */
  function removeSavedFromMemory() {
    for (const each of reportedAnswers.onlyInMemory())
      if (server.everHadAnswer(each) || onPhones(each) || isEarlierAnswer(each))
        reportedAnswers.removeInMemory(each)
  }

  function checkMemory(isChecked: (memory: PageMemory) => boolean) {
    removeSavedFromMemory()
    for (const { field, value } of reportedAnswers.onlyInMemory().filter(({ memory }) => isChecked(memory)))
      found(`the answer ${value} of ${field} is lost, which only the memory of a page had`)
  }

  /** A merge takes a group of fields from one side (D32): half of one answer with half of another is a third answer. */
  function checkGroups() {
    const places = [
      { place: 'the server', forms: server.forms() },
      ...phones.map(phone => ({
        place: `the disk of phone ${phone.name}`,
        forms: [...revisionsOn(phone), ...draftsOn(phone).flatMap(({ draft }) => allFormsIn(draft))],
      })),
      ...tabs().flatMap(tab => {
        const form = tab.form()
        return form ? [{ place: `tab ${tab.name}`, forms: [form.values()] }] : []
      }),
    ]
    for (const { place, forms } of places) {
      const mixed = shownGroups.findMixed(forms)
      if (mixed !== undefined) found(`${place} has a mix of two answers, which no screen has shown: ${mixed}`)
    }
  }

  function checkForm(tab: Tab, form: OpenForm) {
    if (form.saveState().kind !== 'saved') return
    if (form.hasUnsaved()) return found(`tab ${tab.name} says "saved" of an answer that it has not saved`)
    const isSent = tab.sync.status(form.id).kind === 'sent'
    for (const field of form.typed()) {
      const answer = { field, value: form.values()[field] }
      const claim = reportedAnswers.find(answer)
      if (!claim || claim.isReplaced || deletions.isRunning(answer)) continue
      const isOnServer = server.everHadAnswer(answer)
      if (isSent && !isOnServer)
        found(
          `tab ${tab.name} says "on the server" of ${field} = ${answer.value}, which the server never had`,
        )
      // Another tab has written the server's copy, and this tab learns of it when that one does.
      if (!isOnServer && !hasAnswer(formsOn(tab.phone), answer) && !isReportPending(claim))
        found(
          `tab ${tab.name} says "on this phone" of ${field} = ${answer.value}, which the phone does not have`,
        )
    }
  }

  function checkStatuses(tab: Tab) {
    for (const { applicationId, status } of tab.sync.list()) {
      // Only a confirmation is outside of the sync's lock: a read that began before it may end after it, with an older version.
      if (status.kind === 'conflict' && status.isRestored && server.hasConfirmed() && server.epoch() === '1')
        found(`tab ${tab.name} says that the server was restored, which it never was (D62)`)
      if (status.kind !== 'sent') continue
      const { base, values } = status.draft
      const isTrue = base && server.hadVersion(applicationId, base.version, base.epoch, values)
      if (!isTrue)
        found(`tab ${tab.name} says "on the server" of ${applicationId}, which never had these answers`)
    }
  }

  return {
    check() {
      if (faults.size > 0) return
      for (const tab of tabs()) tab.form()?.followSaving()
      deletions.collectAll()
      for (const fault of [...server.faults(), ...deletions.findReturned()]) found(fault)
      checkClaims()
      removeSavedFromMemory()
      checkGroups()
      for (const tab of tabs()) {
        const form = tab.form()
        if (form) checkForm(tab, form)
        checkStatuses(tab)
      }
    },
    checkMemory: () => checkMemory(memory => tabs().some(tab => tab.isSignedIn() && tab.memory() === memory)),
    checkEnd() {
      const waiting: FormValues[] = []
      for (const phone of phones) {
        const shown = shownDrafts(tabs().filter(tab => tab.phone === phone))
        // A page that could not save a draft has it in memory, where it can wait for the applicant.
        const drafts = draftsOn(phone).filter(
          ({ applicationId }) =>
            !shown.some(each => each.applicationId === applicationId && isWaitingForApplicant(each.draft)),
        )
        waiting.push(...shown.flatMap(({ draft }) => (isWaitingForApplicant(draft) ? formsIn(draft) : [])))
        const isChoiceOpen = [...drafts, ...shown].some(({ draft }) => isWaitingForApplicant(draft))
        for (const { applicationId, draft } of drafts) {
          // A draft that was started offline waits until the applicant has chosen in the open application.
          const isWaiting = isWaitingForApplicant(draft) || (isLocal(applicationId) && isChoiceOpen)
          const { kind } = syncStatusOf(draft, acceptsDrafts)
          if (isWaiting) waiting.push(...formsIn(draft))
          else if (kind !== 'sent') found(`phone ${phone.name} has not sent ${applicationId}: ${kind}`)
        }
      }
      for (const claim of reportedAnswers.claims())
        if (!claim.isReplaced && !hasAnswer([...server.forms(), ...waiting], claim))
          found(`the server does not have the answer ${claim.value} of ${claim.field} in the end`)
      checkMemory(() => true)
      for (const fault of server.repeatedEffects()) found(fault)
    },
    onAnswersReplaced(phone, memory) {
      reportedAnswers.mayReplace([...formsOn(phone), ...revisionsOn(phone)])
      reportedAnswers.mayReplaceInMemory(memory)
      for (const claim of reportedAnswers.claims().filter(isUnreported)) {
        // On a full disk the copy was saved without revisions: the page keeps what it has replaced, for its next write (D63).
        if (!claim.isReplaced && !isEarlierAnswer(claim))
          reportedAnswers.addInMemory({ ...memoryPartsOf(claim), memory })
        claim.mayBeReplaced = true
      }
    },
    forgiveUnreported() {
      for (const claim of reportedAnswers.claims()) if (isUnreported(claim)) claim.mayBeReplaced = true
    },
    forgiveLostByServer() {
      // A shared device that is deleting its rows does not keep what the server had a moment ago.
      const forms = phones.filter(phone => !phone.wiped.has(ownerId)).flatMap(formsOn)
      for (const claim of reportedAnswers.claims())
        if (!hasAnswer(forms, claim)) reportedAnswers.release(claim.field, claim.value)
    },
    forgiveWiped(phone, keptIds) {
      const kept = draftsOn(phone).filter(({ applicationId }) => keptIds.includes(applicationId))
      const forms = [...kept.flatMap(({ draft }) => formsIn(draft)), ...server.forms()]
      for (const claim of reportedAnswers.claims())
        // What the server's copy has replaced is an earlier answer, also while the disk is full and the row still has it.
        if (
          !hasAnswer(forms, claim) &&
          (server.everHadAnswer(claim) || claim.isReplaced || claim.mayBeReplaced || isUnreported(claim))
        )
          reportedAnswers.release(claim.field, claim.value)
    },
    forgiveUnsent(phone) {
      const others = phones.filter(each => each !== phone)
      const forms = [...server.forms(), ...others.flatMap(formsOn), ...others.flatMap(revisionsOn)]
      const shown = tabs().flatMap(tab => (tab.phone === phone ? (tab.form()?.values() ?? []) : []))
      // A page may report only later, while its session ends, that it has saved such an answer.
      const unreported = [...formsOn(phone), ...shown].flatMap(form =>
        answerFields.map(field => ({ field, value: form[field] })),
      )
      for (const answer of [...reportedAnswers.claims(), ...unreported])
        if (!hasAnswer(forms, answer)) reportedAnswers.release(answer.field, answer.value)
    },
    report: found,
    deletions,
    faults: () => [...faults],
  }
}

const memoryPartsOf = ({ field, value, openedAs }: Claim) => ({ field, value, openedAs })

/** The answers on the disk of the phone, also earlier ones: those of applications for which `isOf` is true. */
function formsOfApplications(
  { disk }: Phone,
  ownerId: string,
  isOf: (applicationId: string) => boolean,
): FormValues[] {
  const { drafts, revisions } = rowsOf(disk.rows(), ownerId)
  return [
    ...drafts.filter(({ applicationId }) => isOf(applicationId)).flatMap(row => formsIn(draftOf(row))),
    ...revisions.filter(({ applicationId }) => isOf(applicationId)).map(revisionOf),
  ]
}

function shownDrafts(tabs: readonly Tab[]) {
  return tabs.flatMap(tab =>
    tab.sync
      .list()
      .flatMap(({ applicationId, status }) =>
        'draft' in status ? [{ applicationId, draft: status.draft }] : [],
      ),
  )
}

function isWaitingForApplicant(draft: Draft): boolean {
  // A Submit whose answers were changed and have faults waits for the applicant.
  return draft.faulty === true || ['conflict', 'stuck'].includes(syncStatusOf(draft, acceptsDrafts).kind)
}

const opened = new WeakMap<Encrypted['start'], unknown>()

/** Rows do not change, so each is decrypted once. */
function openOnce<Value>(sealed: Encrypted, open: () => Value): Value {
  // Each ciphertext belongs to one table.
  const known = (opened.get(sealed.start) as Value | undefined) ?? open()
  opened.set(sealed.start, known)
  return known
}

function draftOf(row: DraftRow): Draft {
  const { applicantId, applicationId, sealed } = row
  return openOnce(sealed, () => parseDraft(decryptRow(sealed, `${applicantId}/${applicationId}`), row))
}

function revisionOf({
  applicantId,
  applicationId,
  sealed,
  sealedAs = applicationId,
}: RevisionRow): FormValues {
  return openOnce(sealed, () => readForm(decryptRow(sealed, `${applicantId}/${sealedAs}/revision`)))
}

function rowsOf({ drafts, revisions }: DurableRows, ownerId: string): DurableRows {
  const isOwn = ({ applicantId }: { applicantId: string }) => applicantId === ownerId
  return { drafts: drafts.filter(isOwn), revisions: revisions.filter(isOwn) }
}

/** The oracle asks many times before the rows change. Reads the rows of one applicant. */
function oncePerRows<Value>(
  read: (rows: DurableRows) => Value,
): (phone: Pick<Phone, 'disk'>, ownerId: string) => Value {
  const known = new WeakMap<DurableRows, Map<string, Value>>()
  return ({ disk }, ownerId) => {
    const rows = disk.rows()
    const values = known.get(rows) ?? new Map<string, Value>()
    known.set(rows, values)
    const found = values.get(ownerId) ?? read(rowsOf(rows, ownerId))
    values.set(ownerId, found)
    return found
  }
}

export const draftsOf = oncePerRows(({ drafts }): readonly { applicationId: string; draft: Draft }[] =>
  drafts.map(row => ({ applicationId: row.applicationId, draft: draftOf(row) })),
)

function formsIn({ values, theirs }: Pick<Draft, 'values' | 'theirs'>): FormValues[] {
  return theirs ? [values, theirs.values] : [values]
}

function allFormsIn({ base, sending, ...draft }: Draft): FormValues[] {
  return [...formsIn(draft), ...(base ? [base.values] : []), ...(sending ? [sending.values] : [])]
}

/** All answers that the disk of this phone shows or offers to the applicant. */
const formsOf = oncePerRows(({ drafts }): readonly FormValues[] =>
  drafts.flatMap(row => formsIn(draftOf(row))),
)

/** The earlier answers on the disk of this phone. */
export const revisionsOf = oncePerRows(({ revisions }): readonly FormValues[] => revisions.map(revisionOf))
