import type { Language } from '#contract/codes.ts'
import type { AnswerInput, CallOutput, EndpointName, endpoints } from '#contract/endpoints.ts'
import type { ProblemCode } from '#contract/problems.ts'

/** Who calls: read from a valid access token whose session is still alive. */
export type Caller = {
  applicantId: string
  sessionId: string
  msisdn: string
  email: string
}

/** What a handler may know of the request beside its checked parts, and the cookies it may set. */
export type Transport = {
  /** The network address the request came from, as the configured proxies report it. */
  address: string
  /** The origin at which the caller reaches this server; a gateway sends the payer back there. */
  origin: string
  /** The browser's random mark, which binds one-time codes to it; set by the server on first contact. */
  browser: string
  refreshToken: string | undefined
  setRefreshToken(token: string | undefined, maxAgeSeconds: number): void
  /** Whether the client says that others use this device too (D31). */
  sharedDevice: boolean
  /** Asks the browser to wipe what this origin stored there (D31). */
  clearSiteData(): void
  sendFile(file: { name: string; type: string; inline: boolean }): void
}

type CallerOf<Name extends EndpointName> = (typeof endpoints)[Name]['access'] extends 'applicant'
  ? Caller
  : undefined

export type Call<Name extends EndpointName> = CallOutput<Name> & {
  caller: CallerOf<Name>
  transport: Transport
  /** The language asked for with `lg`, French otherwise. */
  language: Language
}

/** An expected failure: a code of the contract's closed list, and what the client may show or route by. */
export type Refusal = {
  refused: ProblemCode
  message?: string | undefined
  errors?: { field: string; message: string }[] | undefined
  data?: unknown
}

export type Handler<Name extends EndpointName> = (call: Call<Name>) => Promise<AnswerInput<Name> | Refusal>

/** A call of the contract without a handler does not compile. */
export type Handlers = { [Name in EndpointName]: Handler<Name> }

export function refuse(refused: ProblemCode, more: Omit<Refusal, 'refused'> = {}): Refusal {
  return { refused, ...more }
}
