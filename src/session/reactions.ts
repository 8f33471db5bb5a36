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
  /** A limit of this server on one applicant's calls (D97): the applicant stays on the screen and tries again later. */
  | { kind: 'say-too-many'; seconds: number }
  /** The last try of the same call still runs in the server (D13). */
  | { kind: 'say-in-flight' }
  | { kind: 'go-home' }
  | { kind: 'sign-in' }

/** ERR11, ERR12, S19, S83, S84. */
export function reactionTo(problem: Problem): Reaction {
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
      return problem.status === 403 || problem.status === 429 ? { kind: 'go-home' } : { kind: 'none' }
  }
}

function incidentOf(data: unknown): string | undefined {
  const incident = typeof data === 'object' && data !== null && 'incident' in data ? data.incident : undefined
  return typeof incident === 'string' && incidentCode.test(incident) ? incident : undefined
}

/**
 * What a 403 or 429 means to a call that the applicant did not start (S29, S84, D89). Session and drafts stay in any case. All
 * other problems of these calls show nothing.
 */
const refusedInBackground = {
  /** SES06: a page whose token is not renewed soon stops working. */
  refreshToken: 'go-home',
  /** The applicant waits for the answer to this poll (PAY26). */
  readPayment: 'go-home',
  /** Sync sends a draft again and the form shows that it waits, so the applicant can type on. */
  createApplication: 'none',
  readData: 'none',
  saveData: 'none',
  /** A select shows its own failure, with a retry. */
  listCountries: 'none',
  listProfessions: 'none',
  listRegions: 'none',
  listDepartments: 'none',
  listLocalities: 'none',
  listHomePlaces: 'none',
  listOfficeCountries: 'none',
  listCities: 'none',
  listOffices: 'none',
  /** The page works without the answer. */
  version: 'none',
  logout: 'none',
  listApplications: 'none',
  getPdf: 'none',
  readWatch: 'none',
  /** The page shows its own failure, with a retry. */
  readAccount: 'none',
  listPaymentAttempts: 'none',
  paymentProof: 'none',
} as const satisfies Partial<Record<EndpointName, 'none' | 'go-home'>>

/** Like `reactionTo`, for a call in the background. */
export function reactionInBackground(name: EndpointName, problem: Problem): Reaction {
  const isRefused =
    problem.kind === 'refused' &&
    (problem.status === 403 || problem.status === 429) &&
    problem.reason !== tooManyReason
  const table: Partial<Record<EndpointName, 'none' | 'go-home'>> = refusedInBackground
  return { kind: (isRefused && table[name]) || 'none' }
}
