import type { AnswerOutput, CallInput, EndpointName } from '#contract/endpoints.ts'
import type { Failure } from '#contract/failure.ts'
import {
  type Answered,
  type Contact,
  type SignedInDirectly,
  signInDirectly,
} from '#support/servers/api-client.ts'
import { startTestServer, type TestServerSettings } from '#support/servers/test-server.ts'

export type ApiFixture = Awaited<ReturnType<typeof openApiFixture>>
export type ApiApplicant = Awaited<ReturnType<ApiFixture['signIn']>>

/** A refusal as the client reads it. `refused`: the reason, under the name that the server's own refusals use. */
type ReadRefusal = { refused: string | undefined } & Pick<Failure, 'message' | 'errors' | 'data'>
type Answer<Name extends EndpointName> =
  | { status: number; body: AnswerOutput<Name> }
  | { status: number; body: undefined; refusal: ReadRefusal }

/**
 * Starts the real server, by default on 1 June 2026 without offices. `signIn` signs an applicant in without a code; a
 * call of the applicant returns the status with the body or the refusal.
 */
export async function openApiFixture(settings: TestServerSettings = {}) {
  const server = await startTestServer({ startsAt: '2026-06-01T09:00:00Z', offices: 'none', ...settings })
  return {
    services: server.services,
    db: server.services.db,
    /** Advances the server's clock. */
    advanceMs: (milliseconds: number) => server.clock.advanceSeconds(milliseconds / 1_000),
    signIn: async (contact?: Contact) => toApplicant(await signInDirectly(server, contact)),
    close: () => server.close(),
  }
}

function toApplicant(applicant: SignedInDirectly) {
  return {
    caller: applicant.caller,
    call: async <Name extends EndpointName>(name: Name, parts?: Partial<CallInput<Name>>) =>
      toAnswer(await applicant.call(name, parts)),
  }
}

function toAnswer<Name extends EndpointName>(answered: Answered<Name>): Answer<Name> {
  const { status } = answered
  if (answered.kind === 'ok') return { status, body: answered.body }
  const { reason: refused, message, errors, data } = answered.failure
  return { status, body: undefined, refusal: { refused, message, errors, data } }
}
