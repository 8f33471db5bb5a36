import { type FieldName, type FormValues, readForm } from '#contract/application.ts'

/** The server's form, and when this device received it (`at`, wall clock in milliseconds; 0 when it is not known). */
export type ServerForm = {
  /** Undefined when the server has no versions (D5, D14). */
  version: number | undefined
  /** Changes when the server's database was restored from a backup (D62); undefined when the server has none. */
  epoch?: string | undefined
  additionalData: string
  values: FormValues
  at: number
}

/** One running write: every retry sends the same body under the same key until the server accepts or refuses it (D13). */
export type Sending = {
  key: string
  values: FormValues
  /** True for a Submit; false for a draft that may be incomplete. */
  complete: boolean
  baseVersion: number | undefined
  additionalData: string
}

export type SentFault = { field: string; message: string | undefined }

/**
 * Why the sync sends nothing until the applicant changes an answer or presses Submit. The kinds `gone` and
 * `not-allowed` also end when the server's copy can be read again.
 */
export type Stuck =
  | { kind: 'refused'; faults: SentFault[] }
  /** The server does not know the application, or has deleted it. */
  | { kind: 'gone' }
  /** The server answered 403 with a reason. A closed form is not this: the server's copy replaces its draft (S93). */
  | { kind: 'not-allowed' }
  /**
   * The server cannot accept these fields (too long, not in the list, or with characters that it does not allow); the
   * other field groups are sent (D14). Only in a `SyncStatus`: no draft is saved with this kind.
   */
  | { kind: 'unfit'; fields: FieldName[] }

/** Everything this device knows of one application that is being filled in. */
export type Draft = {
  values: FormValues
  /** The tab of the form that was open. */
  tab: string
  /**
   * When a form last saved the draft (what was typed or restored, another tab of the form, Submit), or when this device
   * first saved it: wall clock in milliseconds; 0 before the first save on this device.
   */
  savedAt: number
  /** The server's form that this draft is based on; undefined before the first response. */
  base?: ServerForm | undefined
  /** The first field of each group that had an answer on the server and has none in `base`: it was emptied (D62). */
  emptied?: FieldName[] | undefined
  /**
   * Another form of the server than `base`, while the applicant must resolve conflicts with it (D32). After a restore
   * of the server it may be older (D62).
   */
  theirs?: ServerForm | undefined
  /** The application does not exist on the server yet; this key creates it (D33). */
  create?: { key: string } | undefined
  /**
   * The draft was started here under a local id, and the applicant had an open application already: the sync merges the draft
   * with that application, which may have answers of another device (D33).
   */
  hasJoined?: boolean | undefined
  sending?: Sending | undefined
  /** The applicant pressed Submit: the next write is the complete form, unless the draft is `faulty`. */
  submitted?: boolean | undefined
  /**
   * The answers were changed after Submit, and have faults or were not checked: the Submit waits until they have no
   * fault.
   */
  faulty?: boolean | undefined
  /** The server has accepted the complete form, and no answer has changed since. */
  delivered?: boolean | undefined
  /** Failed attempts in a row. */
  attempts: number
  /** Earliest time of the next attempt: wall clock in milliseconds. */
  notBefore: number
  stuck?: Stuck | undefined
  /** The server has refused the incomplete answers only because an order of the application is open (D14). */
  heldByOrder?: boolean | undefined
}

export function newDraft(draft: Pick<Draft, 'values' | 'tab'> & Partial<Draft>): Draft {
  return { savedAt: 0, attempts: 0, notBefore: 0, ...draft }
}

/**
 * Reads a decrypted row: version 1 saved the answers alone, later versions the whole draft. Drops unknown
 * answers, except those of `sending`.
 */
export function parseDraft(opened: unknown, row: { tab: string; savedAt: number }): Draft {
  const { tab } = row
  // The row has its time in clear. A damaged one counts as none, because a page that shows it would fail.
  const savedAt = new Date(row.savedAt).getTime() || 0
  const isWhole = typeof opened === 'object' && opened !== null && 'values' in opened && 'attempts' in opened
  if (!isWhole) return newDraft({ tab, savedAt, values: readForm(opened) })
  // Only this code encrypts rows.
  const draft = opened as Draft
  return {
    ...draft,
    tab,
    savedAt,
    values: readForm(draft.values),
    base: draft.base && { ...draft.base, values: readForm(draft.base.values) },
    theirs: draft.theirs && { ...draft.theirs, values: readForm(draft.theirs.values) },
  }
}
