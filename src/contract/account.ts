import * as z from 'zod/mini'
import { SessionId } from './ids.ts'

const ContactKind = z.enum(['phone', 'email'])
export type ContactKind = z.output<typeof ContactKind>

export function otherKind(kind: ContactKind): ContactKind {
  return kind === 'phone' ? 'email' : 'phone'
}

/** When a session has proven a contact again, it may make one change of the account within this time (D70). */
export const proofMinutes = 15
/** How long a change of contacts can be undone (D70). */
export const undoHours = 72

/** Names one of the applicant's own contacts. */
export const OwnContactBody = z.object({ kind: ContactKind })

export const ProofRequestBody = z.extend(OwnContactBody, {
  gRecaptchaResponse: z._default(z.nullable(z.string().check(z.maxLength(8_000))), ''),
})

export const ProofBody = z.extend(OwnContactBody, { otp: z.string().check(z.maxLength(40)) })

/** The code in the message about a changed contact. */
export const UndoBody = z.object({ code: z.string().check(z.maxLength(40)) })

/** `isComplete`: every removed contact is back. If not, another account with applications has one of them, and keeps it. */
export const UndoAnswer = z.object({ isComplete: z.boolean() })
export type UndoAnswer = z.output<typeof UndoAnswer>

/** A contact of the account. Its middle is left out, because other people may see the screen: `+237 6` and `67`. */
const AccountContact = z.object({ kind: ContactKind, start: z.string(), end: z.string() })
export type AccountContact = z.output<typeof AccountContact>

/** Times are ISO texts. */
const AccountSession = z.object({
  id: SessionId,
  isThis: z.boolean(),
  startedAt: z.string(),
  lastUsedAt: z.string(),
})
export type AccountSession = z.output<typeof AccountSession>

/** What the server records about an account or a contact (D111). The portal shows these to the owner of the account. */
export const accountEventKinds = [
  'signed-in',
  'signed-in-new-device',
  'code-wrong',
  'contact-added',
  'contact-removed',
  'contact-change-undone',
  'session-ended',
  'signed-out',
  'token-reused',
  'data-downloaded',
  'deletion-announced',
  'deletion-cancelled',
  // The next two are of a dormant account (D122): a wrong answer to its question; a new account in its place.
  'answer-wrong',
  'started-again',
] as const
/** What the server records about callers that it refuses; it cannot know whose account they meant. */
export const refusalEventKinds = ['token-refused', 'foreign-page-refused'] as const
/**
 * What the server records at most once a day for an account or a contact, for operators only (D126): a limit refused a call;
 * a call had the id of an application, payment, appointment or session of another applicant.
 */
export const dailyEventKinds = ['limit-reached', 'object-refused'] as const
export type DailyEventKind = (typeof dailyEventKinds)[number]
export type SecurityEventKind =
  | (typeof accountEventKinds)[number]
  | (typeof refusalEventKinds)[number]
  | DailyEventKind

export type AccountEvent = { at: string; kind: (typeof accountEventKinds)[number] }

/** Leaves out the kinds of a newer server, so that a portal which is still open can show the others. */
const AccountEvents = z.pipe(
  z.array(z.object({ at: z.string(), kind: z.string() })),
  z.transform(events =>
    events.flatMap(({ at, kind }): AccountEvent[] => {
      const known = accountEventKinds.find(each => each === kind)
      return known === undefined ? [] : [{ at, kind: known }]
    }),
  ),
)

/** `events`: the newest first. An older server sends no `events`. */
export const Account = z.object({
  contacts: z.array(AccountContact),
  sessions: z.array(AccountSession),
  events: z._default(AccountEvents, []),
})
export type Account = z.output<typeof Account>

/** When the account is deleted, unless its owner cancels the deletion before (D112); an ISO text. */
export const AccountDeletion = z.object({ deletesAt: z.string() })

/** The feature of a server whose accounts can be deleted (D5, D112). */
export const deleteAccountFeature = 'deleteAccount'

/** JSON for programs, HTML to read. */
export const dataFormats = ['html', 'json'] as const
export type DataFormat = (typeof dataFormats)[number]

/**
 * A file for the applicant's device. The text is a field of the JSON answer, because the client accepts an answer that is a
 * file only when it is a PDF.
 */
export const DataFile = z.object({ name: z.string(), type: z.string(), text: z.string() })

/** The feature of a server that has the calls of the account (D5). */
export const accountFeature = 'account'
