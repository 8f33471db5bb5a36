import { enrolledKeptDays } from './codes.ts'

/**
 * How long each kind of data is kept, in days; `keptWithoutEnd` has the others. The jobs of server/features/deletion
 * enforce each row except `backups`, which docs/packaging/backup.sh enforces; the privacy notice lists each row. Tests
 * compare all with this table (D113).
 */
export const keptDays = {
  /** A one-time code, from its sending. */
  codes: 1,
  /** Counts of requests by network and of messages by day, and the puzzles that were solved. */
  limits: 2,
  /**
   * Counts of wrong answers about a dormant account, by keyed hash. The limit counts the last 90 days, and the whole of the day
   * in which they begin: so a row is needed for one day more (D122).
   */
  dormantTries: 91,
  /** The card form of a payment, from its expiry. */
  cardForms: 1,
  /** The answers to writes, so that nothing is done twice (D13). */
  callAnswers: 7,
  /** Sessions, from their start. A refresh token is deleted a day after its expiry. */
  sessions: 30,
  /**
   * SMS and e-mails, from their sending or failure. The text is deleted when the message is sent; one that has failed and may
   * be sent again keeps it.
   */
  messages: 90,
  /**
   * Changes of contacts: as long as `messages`, because the deletion of an account finds the messages to a removed contact
   * through these rows.
   */
  contactChanges: 90,
  /**
   * The phone number that pays, from the order; longer while the outcome is unknown or a refund is due. A dispute with
   * a mobile network ends within three months.
   */
  payerPhones: 90,
  /** A browser in which a contact was verified. */
  browsers: 180,
  /** Sign-ins, wrong codes and changes of an account, with keyed hashes in place of the applicant (D111). */
  securityEvents: 180,
  /** An application that is not paid, from its start (D40). */
  unpaid: 30,
  /** A paid application without an enrolment, from its payment, or 14 days from its appointment if later (D40). */
  neverEnrolled: 365,
  /** An application after its enrolment or its refusal, from its last change. */
  enrolled: enrolledKeptDays,
  /** The number and the payments of a deleted application, from its deletion. */
  deletedApplications: 365,
  /** A contact and its account without applications, from the last sign-in. */
  accounts: 365,
  /** An account that its owner deletes; until then the owner can sign in and keep it (D112). */
  deletedAccounts: 7,
  /** The hash of the id of a deleted account, from the deletion, so that no other account gets the id (D133). */
  deletedAccountIds: 365,
  /**
   * Amount, order number, date and outcome of an order, without its applicant: ten years of accounting; longer while a
   * refund is due.
   */
  orders: 3_650,
  /** Dumps of the database, by docs/packaging/backup.sh. A deleted account is in no backup after that. */
  backups: 14,
} as const

export type KeptKind = keyof typeof keptDays

/**
 * Kinds that no job deletes. The privacy notice says in words how long they stay (D113).
 * - `oldSystem`: contacts of people who paid in the old system. The authority removes entries with the command
 *   `remove-whitelist`; a deleted account leaves a keyed hash, so that a payment counts once (D112).
 * - `operatorRecords`: who looked at or changed which application, as evidence (D102).
 * - `unknownPayments`: payments that only a provider knows, for accounting (D108). They name no applicant.
 */
export const keptWithoutEnd = ['oldSystem', 'operatorRecords', 'unknownPayments'] as const

export type KeptWithoutEnd = (typeof keptWithoutEnd)[number]
