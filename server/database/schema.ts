import type { Generated, JSONColumnType } from 'kysely'
import type { ContactKind, SecurityEventKind } from '#contract/account.ts'
import type { ApplicationState } from '#contract/states.ts'
import type { Language } from '#contract/codes.ts'
import type { MethodType, PaymentStatus } from '#contract/payment.ts'

/** The tables as Kysely types them; migrations/ says what each is for. */
export type Schema = {
  secret: { name: string; value: string }
  /**
   * Empty until the encryption of personal data starts, then one row (D71). Only the DATA_KEY that encrypts this
   * database can decrypt `proof`.
   */
  encryption: { id: Generated<boolean>; started_at: Generated<Date>; proof: string }
  /** One row with the id true. */
  server_epoch: { id: Generated<boolean>; epoch: string }
  applicant: {
    id: Generated<string>
    language: Generated<Language>
    created_at: Generated<Date>
    signed_in_at: Generated<Date>
    /** When the account will be deleted; null: its owner has not asked for that, or keeps it (D112). */
    deletion_at: Date | null
  }
  contact: {
    kind: ContactKind
    value: string
    applicant_id: string
    /** When the account got the contact. */
    proven_at: Generated<Date>
    /** When a code has proven the contact last (D122). */
    last_proven_at: Generated<Date>
  }
  challenge: {
    id: Generated<string>
    kind: ContactKind
    value: string
    browser_hash: string
    tries: Generated<number>
    dial_code: Generated<string>
    proven_at: Date | null
    next_try_at: Date | null
    created_at: Generated<Date>
  }
  one_time_code: {
    id: Generated<number>
    challenge_id: string
    code_hash: string
    sent_at: Generated<Date>
    expires_at: Date
    used_at: Date | null
    /**
     * Whether the code was requested for the other contact of the account (F6). `sent_to`: the other contact, when the
     * code was sent to it; null in all other cases, for example when the account has no other contact.
     */
    other_channel: Generated<boolean>
    sent_to: string | null
    network: Generated<string>
    opened_token: string | null
    joined_session: string | null
    /**
     * The dormant account that this code alone did not open: the person must also answer a question about it (D122).
     * `ticket_hash`: the hash of the ticket that the server then gives to the browser, for the call with the answer.
     */
    dormant_applicant: string | null
    ticket_hash: string | null
  }
  usage_count: { key: string; window_start: Date; count: number }
  used_captcha: { answer_hash: string; expires_at: Date }
  session: {
    id: Generated<string>
    applicant_id: string
    msisdn: Generated<string>
    email: Generated<string>
    created_at: Generated<Date>
    last_used_at: Generated<Date>
    first_used_at: Date | null
    ended_at: Date | null
    /**
     * The contact that this session has proven again, until a change of contacts or the request for deletion uses the
     * proof up (D70, D112).
     */
    proof_kind: ContactKind | null
    proof_at: Date | null
  }
  contact_change: {
    id: Generated<number>
    applicant_id: string
    kind: ContactKind
    /** Null when the contact was added. */
    value_before: string | null
    proven_before: Date | null
    last_proven_before: Date | null
    /** Null when the contact was removed. */
    value_after: string | null
    undo_hash: string
    changed_at: Generated<Date>
    undone_at: Date | null
  }
  refresh_token: {
    hash: string
    session_id: string
    successor: string | null
    created_at: Generated<Date>
    replaced_at: Date | null
    expires_at: Date
  }
  application: {
    id: Generated<string>
    applicant_id: string
    number: string
    state: Generated<ApplicationState>
    /**
     * `stored-form.ts` reads and writes it: `{ sealed }`, or the answers as they were before the encryption. With incomplete
     * answers, `complete` has the last complete form (D14).
     */
    data: Generated<JSONColumnType<Record<string, unknown>>>
    additional_data: Generated<string>
    draft: Generated<boolean>
    version: Generated<number>
    language: Generated<Language>
    changes_used: Generated<number>
    appointment_id: string | null
    /** The day that was announced to the applicant; `YYYY-MM-DD`. */
    deletion_day: string | null
    deletion_cause: 'unpaid' | 'never-enrolled' | null
    /** The last warning that was put into the outbox: of 14, 3 or 1 days before the deletion (F12). The job may be late. */
    deletion_warned: number | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  city: { id: number; country_id: number; name_fr: string; name_en: string }
  office: {
    id: number
    city_id: number
    country_id: number
    name_fr: string
    name_en: string
    address: Generated<string>
    time_zone: string
    horizon_days: Generated<number>
    active: Generated<boolean>
  }
  opening: {
    office_id: number
    /** 1 is Monday. */
    weekday: number
    opens: string
    closes: string
    slot_minutes: number
    capacity: number
  }
  closed_day: { office_id: number; day: string; reason: Generated<string> }
  appointment: {
    id: Generated<string>
    application_id: string
    office_id: number
    /** On the office's clock, `2026-12-01T09:30:00`; null in the general queue. */
    starts_at: string | null
    general_queue: Generated<boolean>
    state: AppointmentState
    held_until: Date | null
    replaces: string | null
    created_at: Generated<Date>
    confirmed_at: Date | null
    /** Which reminder was stored last, in days before the appointment; null: none. */
    reminded_days: number | null
  }
  watch: {
    id: Generated<string>
    application_id: string
    office_id: number
    /** Days before this one match; any day when null. */
    earlier_than: string | null
    /** Number of notifications. */
    told: Generated<number>
    told_at: Date | null
    /**
     * The free day that the last notification named; null before the first one, and when the job has seen that no free
     * day matches any more, so that it notifies again.
     */
    told_of: string | null
    created_at: Generated<Date>
    ended_at: Date | null
  }
  slot: { id: Generated<number>; office_id: number; starts_at: string }
  place: {
    slot_id: number
    seat: number
    appointment_id: string | null
    held_until: Date | null
    /** From this time on applicants other than `applicant_id`, the last holder, can reserve the place. */
    free_from: Date | null
    applicant_id: string | null
  }
  payment: {
    id: Generated<string>
    application_id: string
    order_id: string
    method: MethodType
    status: Generated<PaymentStatus>
    amount: number
    currency: string
    need_otp: Generated<boolean>
    /** Encrypted, or the number as it was before the encryption; `payer-phone.ts` reads and writes it. */
    phone: Generated<string>
    phone_hash: Generated<string | null>
    provider_reference: string | null
    refund_due: Generated<boolean>
    created_at: Generated<Date>
    settled_at: Date | null
    /** Name of the wallet or gateway that got the order. */
    channel: Generated<string>
    operator_reference: Generated<string>
    /** When the order was last sent to its provider; null: never, or the provider refused it immediately. */
    sent_at: Date | null
    /** When the next status query is due; null: none. In this name and in `asked_at`, `ask` means to query the status. */
    ask_at: Date | null
    /**
     * When a poll, a held request, a webhook, the return from a card page or the reconciler last began a status query.
     */
    asked_at: Date | null
    given_up_at: Date | null
    refunded_at: Date | null
    /** In the address to which a card gateway returns. */
    return_id: Generated<string>
  }
  payment_event: {
    id: Generated<number>
    payment_id: string
    at: Generated<Date>
    kind: string
    detail: Generated<JSONColumnType<Record<string, unknown>>>
  }
  /** The accounts deleted in the last year, so that no other account gets their ids (D133). A trigger stores them. */
  past_applicant: {
    /** SHA-256 of the id, in hexadecimal. */
    id_hash: string
    deleted_at: Generated<Date>
  }
  /** What accounting keeps of an order whose application is deleted (D112). */
  past_order: {
    order_id: string
    method: MethodType
    status: PaymentStatus
    amount: number
    currency: string
    created_at: Date
    settled_at: Date | null
    refund_due: boolean
    refunded_at: Date | null
    /** This column, `operator_reference`, `channel` and `phone` are null unless money is due back. */
    provider_reference: string | null
    operator_reference: string | null
    channel: string | null
    phone: string | null
  }
  card_page: {
    ticket_hash: string
    payment_id: string
    form: JSONColumnType<{ url: string; fields: { name: string; value: string }[]; html?: string }>
    created_at: Generated<Date>
    expires_at: Date
    used_at: Date | null
  }
  whitelist: {
    kind: ContactKind
    value: string
    /** One payment in the old system; the contacts of its payer share it. */
    entry: Generated<string>
    /** When the entry paid for an application. */
    used_at: Date | null
  }
  receipt_ticket: { hash: string; session_id: string; application_id: string; expires_at: Date }
  /**
   * Append-only, until a job deletes old rows (`keptDays.securityEvents`). Three columns are keyed hashes, or '' when
   * nothing is known (D111): `subject` of the applicant, or of the contact that the caller typed; `near` and `wide` of
   * the caller's two networks (`Networks`).
   */
  security_event: {
    id: Generated<number>
    at: Generated<Date>
    kind: SecurityEventKind
    subject: string
    near: Generated<string>
    wide: Generated<string>
  }
  /** Append-only (D102). */
  operator_record: {
    id: Generated<number>
    at: Generated<Date>
    operator: string
    machine_user: string
    command: string
    about: string[]
    reason: string
    dry_run: boolean
  }
  idempotency: {
    scope: string
    key: string
    fingerprint: string
    /** The columns `status` and `answer` are null until the call has ended. */
    status: number | null
    answer: JSONColumnType<Record<string, unknown>> | null
    created_at: Generated<Date>
  }
  outbox: {
    id: Generated<number>
    key: string
    channel: 'sms' | 'email'
    kind: string
    recipient: string
    message: JSONColumnType<Record<string, unknown>>
    /** The account that the message is about; null for a code, and when an older release stored the message. */
    applicant_id: string | null
    /** 0: a code, 1: a notice, 2: a bulk message (D94). */
    priority: Generated<number>
    attempts: Generated<number>
    /**
     * After this time a failed try is the last one. But a message with `uselessAfterSeconds` is not tried at all,
     * because its text is no longer true. Null: an older release stored the message.
     */
    give_up_at: Date | null
    /** Why the last try failed, without personal data. */
    last_failure: string | null
    next_at: Generated<Date>
    /** Until this time one process sends this message, and no other process claims the message. */
    claimed_until: Date | null
    sent_at: Date | null
    failed_at: Date | null
    provider: string | null
    provider_reference: string | null
    delivery: 'pending' | 'delivered' | 'undelivered' | null
    reported_at: Date | null
    created_at: Generated<Date>
  }
  /** The next run of each job; the process that moves `due_at` runs the job. */
  job: { name: string; due_at: Date }
  /** After a restore: one row, whose id is true, until an operator releases the jobs (D107). */
  job_hold: { id: Generated<boolean>; held_at: Generated<Date> }
  /** Payments of a provider's statement that have no row in `payment` and are due back (D108). */
  unknown_payment: {
    order_id: string
    method: MethodType
    amount: number
    currency: string
    provider_reference: string
    noted_at: Generated<Date>
    refunded_at: Date | null
  }
}

export type AppointmentState = 'HELD' | 'CONFIRMED' | 'REPLACED' | 'CANCELED' | 'EXPIRED'
