import type { FormValues } from '#contract/application.ts'
import { isLocal } from '#sync/local-id.ts'
import type { FakeServer } from './fake-server.ts'
import type { Phone } from './phone.ts'
import { hasAnswer, isUntyped, type ReportedAnswers } from './reported-answers.ts'
import { type AnswerField, answerFields } from './story-names.ts'
import type { Tab } from './tab.ts'

type Answer = { field: AnswerField; value: string }

/**
 * `removed`: the device says that it has deleted the application. `failed`: it has tried, and a write that hangs may
 * still do it. `kept`: it has not tried, because the server has not said that the application is deleted, or another
 * applicant has signed in on this page since.
 */
export type DeletionOutcome = 'removed' | 'failed' | 'kept'

type Parts = {
  server: FakeServer
  reportedAnswers: ReportedAnswers
  phones: readonly Phone[]
  tabs: () => readonly Tab[]
  /** The answers on the disk of the phone, also earlier ones: those of applications for which `isOf` is true. */
  formsOnDisk: (phone: Phone, isOf: (applicationId: string) => boolean) => readonly FormValues[]
}

type Running = {
  tab: Tab
  id: string
  answers: Map<string, Answer>
  keys: Set<string>
  /**
   * Set when the deletion fails while writes of its tab hang. Returns whether these writes have ended: until then one of
   * them may still delete the application, with what was typed in it since.
   */
  hasEnded: (() => boolean) | undefined
}

export type Deletions = ReturnType<typeof createDeletions>

/** What the applicant has deleted: these answers may be lost, and must not come back (LST11, LST13). */
export function createDeletions({ server, reportedAnswers, phones, tabs, formsOnDisk }: Parts) {
  const running = new Set<Running>()
  const deletedKeys = new Set<string>()
  /** The answers that only the deleted application had, by phone. */
  const deleted: { phone: Phone; answer: Answer }[] = []

  /** The application has the local id and the server's. */
  const belongs = ({ tab, id }: Running, other: string) =>
    [id, tab.sync.serverIdOf(id)].includes(other) || tab.sync.serverIdOf(other) === tab.sync.serverIdOf(id)

  function collect(each: Running) {
    const isOf = (applicationId: string) => belongs(each, applicationId)
    const ofTabs = tabs().filter(({ phone }) => phone === each.tab.phone)
    const onServer = server.read(each.tab.sync.serverIdOf(each.id))?.values
    const forms = [
      ...formsOnDisk(each.tab.phone, isOf),
      ...ofTabs.flatMap(tab => shownIn(tab, isOf)),
      ...(onServer ? [onServer] : []),
    ]
    for (const form of forms)
      for (const field of answerFields)
        if (!isUntyped(field, form[field]))
          each.answers.set(`${field} ${form[field]}`, { field, value: form[field] })
    for (const { applicationId, status } of each.tab.sync.list())
      if (isOf(applicationId) && 'draft' in status && status.draft.create)
        each.keys.add(status.draft.create.key)
  }

  /** In another application, on another phone or at the server. A device keeps what it has not deleted (LST16). */
  function isElsewhere(each: Running, answer: Answer): boolean {
    const onPhones = phones.flatMap(phone => formsOnDisk(phone, othersOn(each, phone)))
    return hasAnswer([...onPhones, ...server.forms()], answer)
  }

  function isOnOtherPage(each: Running, answer: Answer): boolean {
    return hasAnswer(
      tabs().flatMap(tab => shownIn(tab, othersOn(each, tab.phone))),
      answer,
    )
  }

  const othersOn = (each: Running, phone: Phone) => (applicationId: string) =>
    phone !== each.tab.phone || !belongs(each, applicationId)

  /**
   * The page forgets what only its memory has of the application, also earlier answers. The other pages of the phone
   * forget theirs too, except when a local draft could not be deleted: then the page tells them nothing (LST13).
   * `collect` may have missed some of these answers: while a write hangs, the page cannot read the disk, and its list
   * of drafts may lack them.
   */
  function collectMemory(each: Running, outcome: DeletionOutcome) {
    const isTold = outcome === 'removed' || !isLocal(each.tab.sync.serverIdOf(each.id))
    const pages = isTold ? tabs().filter(({ phone }) => phone === each.tab.phone) : [each.tab]
    const memories = pages.map(tab => tab.memory())
    for (const { field, value, memory, openedAs } of reportedAnswers.onlyInMemory())
      if (memories.includes(memory) && belongs(each, openedAs))
        each.answers.set(`${field} ${value}`, { field, value })
  }

  function end(each: Running, outcome: DeletionOutcome) {
    collect(each)
    running.delete(each)
    for (const answer of each.answers.values()) {
      if (isElsewhere(each, answer)) {
        // Another phone may have this answer among its earlier answers only, and then need not show it.
        if (outcome !== 'kept') reportedAnswers.mayReplaceOne(answer)
        continue
      }
      const isOnDisk = hasAnswer(
        formsOnDisk(each.tab.phone, () => true),
        answer,
      )
      // The server may have deleted the application although the phone does not know it: what no phone has may be lost.
      if (outcome !== 'kept' || !isOnDisk) reportedAnswers.release(answer.field, answer.value)
      // A page of another phone may still save what it shows.
      if (outcome === 'removed' && !isOnOtherPage(each, answer))
        deleted.push({ phone: each.tab.phone, answer })
    }
    if (outcome === 'removed') for (const key of each.keys) deletedKeys.add(key)
  }

  /** Whether the answer is no longer only that of the deleted application: another phone has it, as from a slow response. */
  function isOfOtherPhone({ phone, answer }: (typeof deleted)[number]): boolean {
    const others = phones.filter(each => each !== phone)
    const pages = tabs().filter(tab => tab.phone !== phone)
    return hasAnswer(
      [
        ...others.flatMap(each => formsOnDisk(each, () => true)),
        ...pages.flatMap(tab => shownIn(tab, () => true)),
      ],
      answer,
    )
  }

  function forget(isForgotten: (each: (typeof deleted)[number]) => boolean) {
    deleted.splice(0, deleted.length, ...deleted.filter(each => !isForgotten(each)))
  }

  return {
    /** The applicant deletes an application in this tab. Returns the function that reports the outcome. */
    begin(tab: Tab, id: string): (outcome: DeletionOutcome) => void {
      const each: Running = { tab, id, answers: new Map(), keys: new Set(), hasEnded: undefined }
      collect(each)
      running.add(each)
      return outcome => {
        if (outcome !== 'kept') collectMemory(each, outcome)
        const hasEnded = tab.storage.watchWrites()
        if (outcome === 'failed' && !hasEnded()) each.hasEnded = hasEnded
        else if (running.has(each)) end(each, outcome)
      }
    },
    /** Another tab may save more answers until the deletion is done, so call this after each change. */
    collectAll() {
      for (const each of running)
        // A tab that has died may have deleted the application or not.
        if (!each.tab.isAlive() || each.hasEnded?.()) end(each, 'failed')
        else collect(each)
    },
    /** Whether the applicant is deleting this answer: it may be gone already. */
    isRunning: ({ field, value }: Answer) =>
      [...running].some(({ answers }) => answers.has(`${field} ${value}`)),
    /** Whether a creation under this key would bring back an application that was only on the device. */
    isDeletedKey: (key: string | undefined) => key !== undefined && deletedKeys.has(key),
    /** The restored server has what it had before the deletion (D62). */
    forgetRestored: () => forget(({ answer }) => hasAnswer(server.forms(), answer)),
    /** The answers that have come back, as texts. */
    findReturned(): string[] {
      forget(isOfOtherPhone)
      return deleted.flatMap(({ phone, answer }) => {
        const text = `the deleted answer ${answer.value} of ${answer.field} has come back`
        if (
          hasAnswer(
            formsOnDisk(phone, () => true),
            answer,
          )
        )
          return [`${text} on phone ${phone.name}`]
        return hasAnswer(server.forms(), answer) ? [`${text} on the server`] : []
      })
    },
  }
}

/** What the pages of these applications show in the tab. */
function shownIn(tab: Tab, isOf: (applicationId: string) => boolean): FormValues[] {
  const form = tab.form()
  const listed = tab.sync.list().flatMap(({ applicationId, status }) => {
    if (!isOf(applicationId) || !('draft' in status)) return []
    const { values, theirs } = status.draft
    return theirs ? [values, theirs.values] : [values]
  })
  return form && isOf(form.id) ? [...listed, form.values()] : listed
}
