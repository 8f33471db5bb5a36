import { busyReason, inFlightReason, type Problem, tooManyReason } from '#api/result.ts'
import type { EndpointName } from '#contract/endpoints.ts'
import { incidentCode } from '#contract/codes.ts'

/** The reaction to a failed call that is the same on every screen (API36). */
export type Reaction =
  | { kind: 'none' }
  | { kind: 'say-offline' }
  /** `incident`: the code under which the log of the service has the failure (ERR30). */
  | { kind: 'say-unavailable'; incident?: string | undefined }
  /** The service had too many calls, also after several tries (D92). */
  | { kind: 'say-busy' }
  /** A limit of this server on one applicant or network (D97, D120): the applicant stays and tries again after `seconds`. */
  | { kind: 'say-too-many'; seconds: number }
  /** The last try of the same call still runs in the server (D13). */
  | { kind: 'say-in-flight' }
  /** Opens the welcome page; the session stays (S84). */
  | { kind: 'go-home' }
  /** Asks the applicant to sign in, and opens the welcome page. */
  | { kind: 'sign-in' }

/**
 * ERR11, ERR12, S19, S83, S84. `isAutomatic`: the portal has read again what the page shows. Then a 403 or 429 without this
 * server's field `reason` has no effect: it may come from a proxy (D89).
 */
export function reactionTo(problem: Problem, isAutomatic = false): Reaction {
  switch (problem.kind) {
    case 'offline':
      return { kind: 'say-offline' }
    case 'unreachable':
      return { kind: 'say-unavailable' }
    case 'broken':
      if (problem.reason === busyReason) return { kind: 'say-busy' }
      if (problem.reason === inFlightReason) return { kind: 'say-in-flight' }
      return { kind: 'say-unavailable', incident: incidentOf(problem.data) }
    case 'refused':
      if (problem.status === 401) return { kind: 'sign-in' }
      if (problem.reason === tooManyReason)
        return { kind: 'say-too-many', seconds: problem.retryAfterSeconds ?? 60 }
      if (isAutomatic && problem.reason === undefined) return { kind: 'none' }
      return problem.status === 403 || problem.status === 429 ? { kind: 'go-home' } : { kind: 'none' }
  }
}

function incidentOf(data: unknown): string | undefined {
  const incident = typeof data === 'object' && data !== null && 'incident' in data ? data.incident : undefined
  return typeof incident === 'string' && incidentCode.test(incident) ? incident : undefined
}

/**
 * The applicant does not start these calls. A 403 or 429 to them opens the welcome page (S29, S84, D89), with or without the
 * field `reason`; only the reason `too-many-requests` does not (D97). `refreshToken`: without a new token the page stops
 * working soon (SES06). `readPayment`: the applicant waits for the outcome of the payment (PAY26). Session and drafts stay.
 * For every other call nothing is shown here: the form says that a draft waits, the sync sends it again, and a select or a
 * page shows its own failure, with a retry.
 */
const goHomeInBackground: readonly EndpointName[] = ['refreshToken', 'readPayment']

/** The reaction to a failed call that the applicant did not start. */
export function reactionInBackground(name: EndpointName, problem: Problem): Reaction {
  const isRefused =
    problem.kind === 'refused' &&
    (problem.status === 403 || problem.status === 429) &&
    problem.reason !== tooManyReason
  return { kind: isRefused && goHomeInBackground.includes(name) ? 'go-home' : 'none' }
}
