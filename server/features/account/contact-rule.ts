import type { ContactKind } from '#contract/account.ts'

/** A contact of the account. `isEstablished`: its addition can no longer be undone. */
type ContactWithAge = { kind: ContactKind; value: string; isEstablished: boolean }

type Joining = {
  applicantId: string
  /** The account of the applicant still exists. */
  isPresent: boolean
  /** The account that has the contact now. */
  owner: string | undefined
  ownerHasApplications: boolean
  /** The contacts of the applicant. */
  before: readonly { kind: ContactKind }[]
  /** The kind of the contact to add. */
  kind: ContactKind
}

/** What becomes of a verified contact that an applicant adds. `known`: the applicant has it already. */
export type JoinVerdict = 'add' | 'move' | 'known' | 'not-signed-in' | 'contact-refused'

/**
 * An earlier owner without applications loses the contact. An earlier owner with applications keeps it, because
 * without it perhaps no contact would open the applications. An account has at most one contact of each kind.
 */
export function judgeJoin(joining: Joining): JoinVerdict {
  const { applicantId, isPresent, owner, ownerHasApplications, before, kind } = joining
  if (!isPresent) return 'not-signed-in'
  if (owner === applicantId) return 'known'
  if (owner !== undefined && ownerHasApplications) return 'contact-refused'
  if (before.some(contact => contact.kind === kind)) return 'contact-refused'
  return owner === undefined ? 'add' : 'move'
}

type Removal = Pick<Joining, 'isPresent' | 'before' | 'kind'> & {
  /** The session has proven the other contact with a fresh code. */
  hasProof: boolean
}

/** The last contact stays, because nothing else opens the account. `gone`: an earlier call has removed the contact. */
export function judgeRemoval({
  isPresent,
  before,
  kind,
  hasProof,
}: Removal): 'remove' | 'gone' | 'not-signed-in' | 'wrong-state' | 'proof-needed' {
  if (!isPresent) return 'not-signed-in'
  if (!before.some(contact => contact.kind === kind)) return 'gone'
  if (before.length === 1) return 'wrong-state'
  return hasProof ? 'remove' : 'proof-needed'
}

/**
 * `pending`: this change and the later ones that are not undone. `done`: the change and all later ones are undone.
 * `code-expired`: the change is undone, and its code must not undo what was changed since.
 */
export function judgeUndo(
  pending: readonly { id: number }[],
  changeId: number,
): 'undo' | 'done' | 'code-expired' {
  if (pending.some(({ id }) => id === changeId)) return 'undo'
  return pending.length === 0 ? 'done' : 'code-expired'
}

/**
 * Whether an account has again the contacts from before `changes`, of which the last one is first. It may have more.
 */
export function hasContactsFromBefore(
  changes: readonly { kind: ContactKind; value_before: string | null }[],
  contacts: readonly { kind: ContactKind; value: string }[],
): boolean {
  // The first change of each kind comes last, so its entry stays.
  const before = new Map(changes.map(({ kind, value_before: value }) => [kind, value]))
  return [...before].every(
    ([kind, value]) => value === null || contacts.some(each => each.kind === kind && each.value === value),
  )
}

/** What becomes of a removed contact that an undo gives back. `taken`: another account with applications has it now. */
export function judgeRestore({
  applicantId,
  owner,
  ownerHasApplications,
}: Pick<Joining, 'applicantId' | 'owner' | 'ownerHasApplications'>): 'add' | 'move' | 'known' | 'taken' {
  if (owner === undefined) return 'add'
  if (owner === applicantId) return 'known'
  return ownerHasApplications ? 'taken' : 'move'
}

/** The letters and digits of an undo code, however it was typed: O, I and L stand for the digits 0, 1 and 1. */
export function normaliseUndoCode(typed: string): string {
  return typed
    .toUpperCase()
    .replaceAll(/[^\dA-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
}

/** The contacts of an account before a change, the oldest first, and what was changed. */
export type Announced<Contact extends ContactWithAge> = {
  before: readonly Contact[]
  removed: Contact | undefined
  added: { kind: ContactKind; value: string } | undefined
  /** The removed contact has another holder now (D122). */
  isReleased: boolean
  /** The removal is the owner's answer to a change that was undone lately. */
  isAnswerToUndo: boolean
}

/**
 * The server sends a notice of a change to every contact, also to the removed one, unless another person has it now.
 * The notice has the undo code for contacts that are older than any change that can still be undone or, when there is
 * none, for the oldest one: a thief who has just added a contact cannot undo its removal. A removed contact gets no
 * undo code when its removal is the owner's answer (`isAnswerToUndo`).
 */
export function listNotices<Contact extends ContactWithAge>({
  before,
  removed,
  added,
  isReleased,
  isAnswerToUndo,
}: Announced<Contact>): { contact: { kind: ContactKind; value: string }; hasCode: boolean }[] {
  const own = isReleased ? before.filter(contact => contact !== removed) : before
  const established = own.filter(contact => contact.isEstablished)
  const trusted = established.length > 0 ? established : own.slice(0, 1)
  const mayUndo = trusted.filter(contact => !(isAnswerToUndo && contact === removed))
  return [...own, ...(added === undefined ? [] : [added])].map(contact => ({
    contact,
    hasCode: mayUndo.some(each => each.value === contact.value),
  }))
}

/**
 * Whether a removal is the owner's answer to changes that were undone lately: then the removed contact may be a thief's. A
 * contact that an undo gave back is the owner's, and can undo its next removal too.
 */
export function answersUndone(
  undone: readonly { value_before: string | null }[],
  removed: string | undefined,
): boolean {
  return removed !== undefined && undone.length > 0 && undone.every(change => change.value_before !== removed)
}
