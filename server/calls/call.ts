import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { AnswerInput, ParsedCallInput, EndpointName, endpoints } from '#contract/endpoints.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Schema } from '#server/database/schema.ts'

/** The signed-in applicant of a call, from a valid access token. `msisdn` and `email` are '' when not verified. */
export type Caller = {
  applicantId: string
  sessionId: string
  msisdn: string
  email: string
  /** When the account is deleted at the request of its owner, an ISO text; undefined: no deletion is announced (D112). */
  deletesAt?: string | undefined
}

/** What a handler may read of the request besides its checked parts, and what it may set in the response. */
export type Transport = {
  /** The client's IP address, as the trusted proxies report it. */
  address: string
  /** The origin at which the caller reaches this server; a payment gateway redirects the payer back to it. */
  origin: string
  /**
   * Random id of the browser, which binds one-time codes to it. A request for a code, except `askDormantCode`, sets its
   * cookie. '' in other calls without the cookie.
   */
  browser: string
  refreshToken: string | undefined
  /** The access token of the Authorization header, not verified. Only the log-out reads it here. */
  accessToken: string | undefined
  /**
   * Sets the cookie of the refresh token; without a token deletes it. On a shared device the cookie lasts until the browser
   * closes (D31).
   */
  setRefreshToken(token: string | undefined): void
  /** Whether the client reports a shared device (D31). */
  sharedDevice: boolean
  /** Sends Clear-Site-Data, so that the browser wipes the storage of this origin (D31). */
  clearSiteData(): void
  /** The signal aborts when the response has been sent or its connection has closed: then no client waits for it. */
  responseClosed(): AbortSignal
  /** Sets the name and the type of the file whose bytes the handler returns. */
  describeFile(file: { name: string; type: string; inline: boolean }): void
  /** Keeps the answer out of the metrics, because an earlier call has made and counted what it answers (D105). */
  skipMetrics(): void
}

type CallerOf<Name extends EndpointName> = (typeof endpoints)[Name]['access'] extends 'applicant'
  ? Caller
  : undefined

/**
 * The calls that may have an idempotency key, except those of payments. They send no request to another service. Each
 * is one transaction, which also has the idempotency key, if there is one, and the stored answer (D72). The calls of
 * payments claim their key first and store their answer last.
 */
export const localWrites = [
  'createApplication',
  'saveData',
  'confirmData',
  'deleteApplication',
  'createAppointment',
  'updateAppointment',
  'confirmAppointment',
  'startWatch',
  'stopWatch',
  'endSession',
  'endOtherSessions',
] as const satisfies readonly EndpointName[]

/**
 * The transaction of a local write, for all its statements. A lost race ends it with an error, and then the handler runs
 * again in a new one. The handler waits for nothing outside the database, because the transaction keeps its rows locked.
 */
type InTransaction<Name extends EndpointName> = Name extends (typeof localWrites)[number]
  ? { trx: Transaction<Schema> }
  : unknown

export type Call<Name extends EndpointName> = ParsedCallInput<Name> & {
  caller: CallerOf<Name>
  transport: Transport
  /** From the query parameter `lg`; French by default. */
  language: Language
} & InTransaction<Name>

/** An expected failure: a code of the contract's closed list, with the data that the client shows or routes by. */
export type Refusal = {
  refused: ProblemCode
  message?: string | undefined
  errors?: { field: string; message: string }[] | undefined
  data?: unknown
}

type Handler<Name extends EndpointName> = (call: Call<Name>) => Promise<AnswerInput<Name> | Refusal>

/** One handler for each call: a missing handler does not compile. */
export type Handlers = { [Name in EndpointName]: Handler<Name> }

export function refuse(refused: ProblemCode, more: Omit<Refusal, 'refused'> = {}): Refusal {
  return { refused, ...more }
}

/** A refusal that is expected before the transaction of a write begins (D118). */
export type LikelyRefusal = {
  refusal: Refusal
  /** A query that only reads. It returns a row when the handler of the call would refuse in this way now. */
  proof: RawBuilder<unknown>
}

/**
 * For each local write that has one: names the likely refusal of a call by what this process remembers, without a query.
 * Undefined: none is likely.
 */
export type LikelyRefusals = {
  [Name in (typeof localWrites)[number]]?: (
    call: Pick<Call<Name>, 'caller' | 'language' | 'body'>,
  ) => LikelyRefusal | undefined
}

/**
 * For each write that has one: returns whether a stored answer is outdated. Then a retry does not get this answer, but runs
 * the call (D13). Only for a call whose second run is refused or has no second effect. `db`: the transaction of a local write.
 */
export type OutdatedAnswers = {
  [Name in (typeof localWrites)[number] | 'startCardPayment' | 'startUbaPayment']?: (
    call: Pick<Call<Name>, 'caller' | 'params' | 'body'> & { db: Kysely<Schema> },
    storedAnswer: Record<string, unknown>,
  ) => Promise<boolean>
}
