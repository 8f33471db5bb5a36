import { isMobileMoneyNumber } from '#contract/payer-input.ts'
import { paymentWaitMs } from '#contract/payment.ts'
import { findOwnApplication } from '#server/features/applications/own-application.ts'
import { type Call, type Handlers, type OutdatedAnswers, refuse, type Transport } from '#server/calls/call.ts'
import {
  type AskerLimit,
  askerOf,
  createAskerLimit,
  networksInDatabase,
  networksInProcess,
} from '#server/calls/asker-limit.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { awaitOutcome } from './await-outcome.ts'
import { cancelPayment } from './cancel-payment.ts'
import { readCaseFile } from './case-file.ts'
import { confirmPayment } from './confirm-payment.ts'
import { readFailure } from './failure-reason.ts'
import { refreshInTime } from './refresh-seldom.ts'
import { findOwnPayment, listPaymentsOf } from './own-payment.ts'
import { paymentAnswer, type PaymentRow } from './payment-answer.ts'
import { paymentMethods } from './payment-methods.ts'
import type { PaymentWaits } from './payment-waits.ts'
import { printProof } from './payment-proof.ts'
import { isCardAnswerOutdated, startCard } from './start-card.ts'
import { startPayment, startWhitelist } from './start-payment.ts'
import { isWhitelisted } from './whitelist.ts'

/**
 * What one applicant (D97) and one network (D120) may do: start, confirm and cancel orders; poll payments. A page polls
 * every 15 s, or after each held request; the rest is room for several tabs and for an impatient applicant. `share`: the
 * calls of each applicant that do not count for the network.
 */
const orderRates = {
  applicant: { burst: 30, perMinute: 10 },
  share: { burst: 6, perMinute: 1 },
  networkPerHour: 60,
}
const pollRates = {
  applicant: { burst: 120, perMinute: 60 },
  share: { burst: 30, perMinute: 12 },
  network: { burst: 120, perMinute: 60 },
}

type StartCalls =
  | 'startMobilePayment'
  | 'startAggregatorPayment'
  | 'startCardPayment'
  | 'startUbaPayment'
  | 'startMockPayment'
  | 'startWhitelistPayment'
  | 'confirmPayment'
  | 'cancelPayment'
type ReadCalls = 'listPaymentMethods' | 'listPayments' | 'readPayment'
type CaseFileCalls = 'listPaymentAttempts' | 'paymentProof'

export function paymentHandlers(
  services: Services,
  providers: PaymentProviders,
  { waits, limitFiles }: { waits: PaymentWaits; limitFiles: AskerLimit },
): Pick<Handlers, StartCalls | ReadCalls | CaseFileCalls> {
  return {
    ...startHandlers(services, providers),
    ...readHandlers(services, providers, waits),
    ...caseFileHandlers(services, limitFiles),
  }
}

/**
 * The order of a stored answer may have ended since, or another order has paid: then the payer must not get the card form of
 * the stored answer again. The other payment calls answer with no form.
 */
export const outdatedPaymentAnswers: OutdatedAnswers = {
  startCardPayment: isCardAnswerOutdated,
  startUbaPayment: isCardAnswerOutdated,
}

type StartCall = Pick<Call<'startMockPayment'>, 'caller' | 'query' | 'transport'>
type OrderInput = Omit<Parameters<typeof startPayment>[2], 'caller' | 'applicationId'>
type CardMethod = Parameters<typeof startCard>[2]['method']

function startHandlers(services: Services, providers: PaymentProviders): Pick<Handlers, StartCalls> {
  const limit = createAskerLimit(services, {
    ...orderRates,
    network: networksInDatabase(services, { subject: 'orders', perHour: orderRates.networkPerHour }),
  })
  /** Starts an order. `order`: the method, and what the payer typed. */
  const start = ({ caller, query, transport }: StartCall, order: OrderInput) =>
    limit(askerOf(caller, transport), () =>
      startPayment(withOrigin(services, transport), providers, {
        ...order,
        caller,
        applicationId: query.applicationId,
      }),
    )
  const startCardOrder = ({ caller, query, transport }: StartCall, method: CardMethod) =>
    limit(askerOf(caller, transport), () =>
      startCard(withOrigin(services, transport), providers, { caller, ...query, method }),
    )
  return {
    startMobilePayment: call =>
      start(call, {
        method: 'MOBILE',
        phone: call.query.phone.replace(/\D/g, ''),
        fault: isMobileMoneyNumber(call.query.phone) ? undefined : 'order-not-created',
      }),
    startAggregatorPayment: ({ body, ...call }) =>
      start(call, {
        method: 'AGGREGATOR',
        phone: body.phone.replace(/\D/g, ''),
        payer: { name: body.name, paymentMethod: body.paymentMethod, code: body.otp ?? '' },
        fault: isPayerName(body.name) ? undefined : 'payer-name-invalid',
      }),
    startCardPayment: call => startCardOrder(call, call.body.method ?? firstCard(providers)),
    startUbaPayment: call => startCardOrder(call, 'CARD_UBA'),
    startMockPayment: call => start(call, { method: 'MOCK' }),
    startWhitelistPayment: ({ caller, query, transport }) =>
      limit(askerOf(caller, transport), () => startWhitelist(services, { caller, ...query })),

    confirmPayment: ({ caller, params, body, transport }) =>
      limit(askerOf(caller, transport), () =>
        confirmPayment(services, providers, { caller, id: params.id, code: body.otp }),
      ),
    cancelPayment: ({ caller, params, transport }) =>
      limit(askerOf(caller, transport), () => cancelPayment(services, providers, { caller, id: params.id })),
  }
}

function readHandlers(
  services: Services,
  providers: PaymentProviders,
  waits: PaymentWaits,
): Pick<Handlers, ReadCalls> {
  const { db } = services
  const limit = createAskerLimit(services, {
    ...pollRates,
    network: networksInProcess(services.clock, pollRates.network),
  })
  const refresh = async (payment: PaymentRow) => {
    const provider = providers[payment.method]
    return provider ? refreshInTime(services, { provider, payment }) : payment
  }
  return {
    async listPaymentMethods({ caller, query }) {
      const { applicationId } = query
      if (applicationId !== undefined && !(await findOwnApplication(db, caller, applicationId)))
        return refuse('not-found')
      const whitelisted = await isWhitelisted(services, caller)
      return { data: paymentMethods(services, providers, { whitelisted }) }
    },

    listPayments: ({ caller, query, transport }) =>
      limit(askerOf(caller, transport), async () => {
        const application = await findOwnApplication(db, caller, query.applicationId)
        if (!application) return refuse('not-found')
        const payments = await Promise.all((await listPaymentsOf(db, application.id)).map(refresh))
        if (query.lastSuccess !== 'true')
          return { data: payments.map(payment => paymentAnswer(services, payment)) }
        const succeeded = payments.filter(({ status }) => status === 'SUCCESS')
        const last = succeeded.find(payment => !payment.refund_due) ?? succeeded[0]
        return { data: last ? [paymentAnswer(services, last)] : [] }
      }),

    readPayment: ({ caller, params, query, transport }) =>
      limit(askerOf(caller, transport), async () => {
        const own = await findOwnPayment(db, caller, params.id)
        if (own?.application.id !== query.applicationId) return refuse('not-found')
        const { applicantId } = caller
        const parts = { services, waits, provider: providers[own.payment.method] }
        const wait = { applicantId, timeoutMs: paymentWaitMs, responseClosed: transport.responseClosed() }
        const payment =
          query.wait === undefined ? await refresh(own.payment) : await awaitOutcome(parts, own.payment, wait)
        const mayWait = payment.status === 'IN_PROGRESS' && waits.hasRoom(applicantId)
        const answer = paymentAnswer(services, payment, await readFailure(db, payment))
        return { data: mayWait ? { ...answer, mayWait } : answer }
      }),
  }
}

function caseFileHandlers(services: Services, limitFiles: AskerLimit): Pick<Handlers, CaseFileCalls> {
  const { db, clock, config } = services
  return {
    async listPaymentAttempts({ caller, params }) {
      const application = await findOwnApplication(db, caller, params.id)
      if (!application) return refuse('not-found')
      return { data: await readCaseFile(db, { applicationId: application.id, now: clock.now() }) }
    },

    paymentProof: ({ caller, params, query, transport }) =>
      limitFiles(askerOf(caller, transport), async () => {
        const application = await findOwnApplication(db, caller, params.id)
        if (!application) return refuse('not-found')
        const attempts = await readCaseFile(db, { applicationId: application.id, now: clock.now() })
        const name = `${application.number}-${query.lg === 'en' ? 'payments' : 'paiements'}.pdf`
        transport.describeFile({ name, type: 'application/pdf', inline: false })
        const { number: applicationNumber, language, updated_at: changedAt } = application
        const proof = await printProof({
          language: query.lg ?? language,
          applicationNumber,
          attempts,
          help: config.help,
          changedAt,
        })
        return proof === 'busy' ? refuse('busy') : proof
      }),
  }
}

/**
 * A server may have several addresses, for example a demo with TLS. The payer returns to the address of this request,
 * because only there the payer is signed in.
 */
function withOrigin(services: Services, { origin }: Transport): Services {
  return { ...services, config: { ...services.config, publicOrigin: origin } }
}

/** One call serves two gateways (S39). Without a method it uses BACM when only BACM is configured, else CARD. */
function firstCard(providers: PaymentProviders): 'CARD' | 'BACM' {
  return !providers.CARD && providers.BACM ? 'BACM' : 'CARD'
}

/**
 * Whether a name has a letter and only what providers accept: letters, accents, spaces, apostrophes, hyphens, dots
 * (ERR15).
 */
function isPayerName(name: string): boolean {
  return /^[\p{L}\p{M} '’.-]+$/u.test(name) && /\p{L}/u.test(name)
}
