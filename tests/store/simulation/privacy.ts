import type { FormValues } from '#contract/application.ts'
import { pendingEraseKey } from '#store/device-use.ts'
import type { Account } from './account.ts'
import { draftsOf, revisionsOf } from './oracle.ts'
import { ownerOf } from './owned-values.ts'
import type { Phone } from './phone.ts'
import { answerFields } from './story-names.ts'
import type { Tab } from './tab.ts'

type Parts = {
  accounts: readonly Account[]
  phones: readonly Phone[]
  tabs: () => readonly Tab[]
  report: (fault: string) => void
}

export type Privacy = ReturnType<typeof createPrivacy>

/**
 * Checks that no applicant sees or sends what another one has typed, and that a log-out which clears the phone leaves only
 * drafts that may stay (D31).
 */
export function createPrivacy({ accounts, phones, tabs, report }: Parts) {
  const checked = new WeakMap<FormValues, string>()

  /** `place`: where these answers are, for the reader of the fault. */
  function checkForms(applicantId: string, place: string, forms: readonly FormValues[]) {
    for (const form of forms) {
      if (checked.get(form) === applicantId) continue
      checked.set(form, applicantId)
      const field = answerFields.find(each => ![undefined, applicantId].includes(ownerOf(each, form[each])))
      if (field)
        report(`${place} has the answer ${form[field]} of ${field}, which another applicant has typed`)
    }
  }

  /** @throws when the key of the applicant does not open a row of the applicant */
  function checkRows(phone: Phone, applicantId: string) {
    const drafts = draftsOf(phone, applicantId).flatMap(({ draft: { values, base, theirs, sending } }) =>
      [values, base?.values, theirs?.values, sending?.values].filter(each => each !== undefined),
    )
    checkForms(applicantId, `a row of ${applicantId} on phone ${phone.name}`, [
      ...drafts,
      ...revisionsOf(phone, applicantId),
    ])
  }

  /** After a log-out that clears the phone, each draft of its applicant must be locked or still to be erased (D31). */
  function checkErased({ name, disk, erased, texts }: Phone) {
    const pending = texts.get(pendingEraseKey)?.split('\n') ?? []
    const left = disk
      .rows()
      .drafts.find(
        ({ applicantId, lockedAt }) =>
          erased.has(applicantId) && lockedAt === undefined && !pending.includes(`applicant ${applicantId}`),
      )
    if (left)
      report(`phone ${name} still has ${left.applicationId} of ${left.applicantId}, who has logged out`)
  }

  function checkTab(tab: Tab) {
    const account = tab.account()
    const form = tab.form()
    const listed = tab.sync.list()
    if (!account) {
      if (listed.length > 0) report(`tab ${tab.name} lists drafts without a session`)
      return
    }
    const { applicantId } = account.applicant
    const shown = listed.flatMap(({ status }) => ('draft' in status && status.draft ? [status.draft] : []))
    checkForms(applicantId, `tab ${tab.name} of ${applicantId}`, [
      ...shown.flatMap(({ values, theirs }) => (theirs ? [values, theirs.values] : [values])),
      ...(form ? [form.values()] : []),
    ])
    if (form && tab.formOwner() !== account) report(`tab ${tab.name} shows a form of another applicant`)
  }

  return {
    check() {
      for (const { applicant, server } of accounts) {
        const { applicantId } = applicant
        checkForms(applicantId, `the server's form of ${applicantId}`, server.forms())
        for (const phone of phones)
          try {
            checkRows(phone, applicantId)
          } catch {
            report(`phone ${phone.name} has a row of ${applicantId} that another key has encrypted`)
          }
      }
      for (const phone of phones) checkErased(phone)
      for (const tab of tabs()) checkTab(tab)
    },
  }
}
