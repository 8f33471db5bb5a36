import { createFakeServer, type FakeServer } from './fake-server.ts'
import { createOracle, type Oracle } from './oracle.ts'
import type { Phone } from './phone.ts'
import { createReportedAnswers, type ReportedAnswers } from './reported-answers.ts'
import type { Tab } from './tab.ts'
import { createShownGroups, type ShownGroups } from './typed-groups.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { Applicant } from './virtual-platform.ts'

/** What belongs to one applicant: the applications on the server, the answers in pages, and the oracle. */
export type Account = {
  applicant: Applicant
  server: FakeServer
  /** The answers that pages have reported as saved. */
  reportedAnswers: ReportedAnswers
  shownGroups: ShownGroups
  oracle: Oracle
}

type Parts = {
  clock: VirtualClock
  maxOpenApplications: number
  storesAllRefusals: boolean
  phones: readonly Phone[]
  tabs: () => readonly Tab[]
}

export function createAccount(applicant: Applicant, parts: Parts): Account {
  const { applicantId } = applicant
  // Ada's ids are those of the stories with one applicant, whose trails must not change.
  const server = createFakeServer({ ...parts, idPrefix: applicantId === 'ada' ? 'app-' : 'app-b' })
  const reportedAnswers = createReportedAnswers()
  const shownGroups = createShownGroups()
  const account: Account = {
    applicant,
    server,
    reportedAnswers,
    shownGroups,
    oracle: createOracle({
      ...parts,
      applicantId,
      server,
      reportedAnswers,
      shownGroups,
      tabs: () => parts.tabs().filter(tab => tab.account() === account),
      openTabs: parts.tabs,
    }),
  }
  return account
}
