/**
 * Refuses writes that would bring back rows which this page has deleted on purpose: of a draft or a response of the
 * server that was being encrypted during the deletion, or that comes while this page still has the applicant's key
 * (D31, D112). A write asks when it gives its work to the database, or in its transaction. The database runs its work
 * in order: what was given before the deletion is deleted with the rest.
 */
export type WriteGuard = {
  mayWrite: (applicantId: string) => boolean
  /** From now on this page writes rows only for the applicant who signs in next. */
  refuse: () => void
  allow: (applicantId: string) => void
}

export function createWriteGuard(): WriteGuard {
  let isRefusing = false
  let allowedId: string | undefined
  return {
    mayWrite: applicantId => !isRefusing || applicantId === allowedId,
    refuse() {
      isRefusing = true
      allowedId = undefined
    },
    allow(applicantId) {
      allowedId = applicantId
    },
  }
}
