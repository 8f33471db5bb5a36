import * as z from 'zod/mini'
import type { AnswerOutput, CallInput, EndpointName } from '#contract/endpoints.ts'
import { endpoints } from '#contract/endpoints.ts'
import { problems } from '#contract/problems.ts'
import { readConfig } from '#server/config/config.ts'
import { applicationHandlers } from '#server/features/applications/application-handlers.ts'
import { dictionaryHandlers } from '#server/features/dictionary/dictionary-handlers.ts'
import { paymentHandlers } from '#server/features/payments/payment-handlers.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import type { Caller, Handlers, Refusal } from '#server/calls/call.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { openMigratedDatabase } from '#support/servers/test-databases.ts'

type TestedHandlers = ReturnType<typeof applicationHandlers> &
  ReturnType<typeof dictionaryHandlers> &
  ReturnType<typeof paymentHandlers>
type Name = keyof TestedHandlers & EndpointName

export type ApiFixture = Awaited<ReturnType<typeof openApiFixture>>
export type ApiApplicant = Awaited<ReturnType<ApiFixture['signIn']>>
type Answer<Called extends Name> =
  | { status: 200; body: AnswerOutput<Called> }
  | { status: number; body: undefined; refusal: Refusal }

/**
 * Opens the handlers of the features on a database of their own. `call` parses requests and answers by the contract, as
 * the HTTP layer does.
 */
export async function openApiFixture(
  options: {
    providers?: PaymentProviders
    kind?: 'pglite' | 'postgresql'
    env?: Record<string, string>
  } = {},
) {
  const database = await openMigratedDatabase(options.kind ?? 'pglite')
  const clock = { time: new Date('2026-06-01T09:00:00Z') }
  const services = servicesOn(database.db, clock, options.env)
  const handlers: Partial<Handlers> = {
    ...applicationHandlers(services),
    ...dictionaryHandlers(services),
    ...paymentHandlers(services, options.providers ?? paymentProviders(services)),
  }

  async function call<Called extends Name>(
    caller: Caller,
    name: Called,
    parts: Partial<CallInput<Called>> = {},
  ): Promise<Answer<Called>> {
    const { params, query, body, answer } = endpoints[name]
    const read = {
      params: z.parse(params, parts.params ?? {}),
      query: z.parse(query, parts.query ?? {}),
      body: z.parse(body, parts.body ?? {}),
    }
    const language = 'lg' in read.query ? read.query.lg : 'fr'
    const handler: unknown = handlers[name]
    if (!isHandler(handler)) throw new Error(`${name} has no handler`)
    const given = await handler({
      ...read,
      caller,
      language,
      transport: { origin: services.config.publicOrigin },
    })
    if (isRefusal(given)) return { status: problems[given.refused].http, body: undefined, refusal: given }
    if (answer === 'file') throw new Error(`${name} answers a file`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this endpoint's own schema
    return { status: 200, body: z.parse(answer, given) as AnswerOutput<Called> }
  }

  async function signIn(contact: { msisdn?: string; email?: string } = { msisdn: '237671234567' }) {
    const { id: applicantId } = await database.db
      .insertInto('applicant')
      .values({ language: 'en' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const caller: Caller = { applicantId, sessionId: '', msisdn: '', email: '', ...contact }
    return {
      caller,
      call: <Called extends Name>(name: Called, parts?: Partial<CallInput<Called>>) =>
        call(caller, name, parts),
    }
  }

  return {
    services,
    db: database.db,
    /** Advances the server's clock. */
    advanceMs: (milliseconds: number) => (clock.time = new Date(clock.time.getTime() + milliseconds)),
    signIn,
    close: database.close,
  }
}

function isHandler(value: unknown): value is (call: object) => Promise<object> {
  return typeof value === 'function'
}

function isRefusal(given: object): given is Refusal {
  return 'refused' in given
}

function servicesOn(db: Services['db'], clock: { time: Date }, env: Record<string, string> = {}): Services {
  const read = readConfig(env)
  if (read.kind === 'faults') throw new Error(read.faults.join('\n'))
  return {
    db,
    config: read.config,
    clock: { now: () => clock.time },
    secrets: {
      tokenKey: new Uint8Array(32),
      codeKey: new Uint8Array(32),
      draftKey: new Uint8Array(32),
      captchaKey: new Uint8Array(32),
      receiptPrivateKey: '',
      receiptPublicKey: '',
      receiptKey: '',
    },
    logger: { info: ignore, warn: ignore, error: ignore },
  }
}

function ignore(): void {}
