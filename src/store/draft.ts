import { type FieldName, type FormValues, readForm } from '#contract/application.ts'

/** A form as the server has it, and when this device last knew so (wall clock). */
export type ServerForm = {
  /** Undefined where the server counts none (D5, D14). */
  version: number | undefined
  additionalData: string
  values: FormValues
  at: number
}

/** One write on its way: sent again under the same key, word for word, until it is answered (D13). */
export type Sending = {
  key: string
  values: FormValues
  /** The whole form, as Submit sends it; else a draft that may be incomplete. */
  complete: boolean
  baseVersion: number | undefined
  additionalData: string
}

export type SentFault = { field: string; message: string | undefined }

/** Why what was typed does not get on until the applicant does something. */
export type Stuck =
  | { kind: 'refused'; faults: SentFault[] }
  | { kind: 'gone' }
  | { kind: 'not-allowed' }
  /** These fields alone: too long, or of no form that a server takes. All else goes (D14). */
  | { kind: 'unfit'; fields: FieldName[] }

/** Everything this device knows of one application that is being filled in. */
export type Draft = {
  values: FormValues
  tab: string
  savedAt: number
  /** The server's form that this one grew from; none while nothing of the server was seen. */
  base?: ServerForm | undefined
  /** A newer form of the server, while answers differ that only the applicant can choose between (D32). */
  theirs?: ServerForm | undefined
  /** The application does not exist yet: it is created under this key (D33). */
  create?: { key: string } | undefined
  sending?: Sending | undefined
  /** Submit was pressed: the next write is the complete form. */
  submitted?: boolean | undefined
  /** Answers were changed after that, and have faults now: Submit waits until they have none. */
  faulty?: boolean | undefined
  /** The whole form as it stands was taken by the server: there is nothing left but to go on. */
  delivered?: boolean | undefined
  /** Tries in a row that went unanswered, and when the next may be (wall clock). */
  attempts: number
  notBefore: number
  stuck?: Stuck | undefined
}

export function newDraft(draft: Pick<Draft, 'values' | 'tab'> & Partial<Draft>): Draft {
  return { savedAt: 0, attempts: 0, notBefore: 0, ...draft }
}

/** What was sealed: by version 1 the bare answers, since then all of a draft. Whatever does not fit is left out. */
export function parseDraft(opened: unknown, { tab, savedAt }: { tab: string; savedAt: number }): Draft {
  const isWhole = typeof opened === 'object' && opened !== null && 'values' in opened && 'attempts' in opened
  if (!isWhole) return newDraft({ tab, savedAt, values: readForm(opened) })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed by this very code, and nobody else has the key
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
