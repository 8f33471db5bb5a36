import { sql } from 'kysely'
import { toWire } from '#contract/application.ts'
import type { ApplicationId, PaymentId } from '#contract/ids.ts'
import type { MethodType, PaymentAttempt } from '#contract/payment.ts'
import type { PaymentSettings } from '#server/config/payment-config.ts'
import { listPaymentsOf } from '#server/features/payments/own-payment.ts'
import { readGatewayPage } from '#server/integrations/read-gateway-page.ts'
import type { WebhookCall, Simulator } from '#server/integrations/simulators/simulator.ts'
import { type SimulatorName, startSimulators } from '#server/integrations/simulators/start-simulators.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, signInDirectly, type TestBrowser } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

/** For each provider, the payment method and the payer's data that lead to it. */
export const payers: Record<
  SimulatorName,
  { method: MethodType; prefix: string; wallet?: string; otp?: string }
> = {
  mtn: { method: 'MOBILE', prefix: '23767' },
  orange: { method: 'MOBILE', prefix: '23769' },
  cinetpay: { method: 'CARD', prefix: '' },
  uba: { method: 'CARD_UBA', prefix: '' },
  bacm: { method: 'BACM', prefix: '' },
  smobilpay: { method: 'AGGREGATOR', prefix: '23767', wallet: 'MTN-Money' },
  collect: { method: 'AGGREGATOR', prefix: '23765', wallet: 'Yoomee-Money', otp: '471147' },
}

type FixtureOptions = {
  timeoutSeconds?: number
  /** The instant at which the clocks start; the default of `startTestServer` otherwise. */
  startsAt?: string
  change?: (settings: PaymentSettings) => PaymentSettings
}

export type PaymentFixture = Awaited<ReturnType<typeof openPaymentFixture>>
export type PaymentApplicant = Awaited<ReturnType<PaymentFixture['newPaymentApplicant']>>

/**
 * Starts the real server and the simulators of all providers. Tests make stored rows older instead of waiting.
 * `timeoutSeconds`: how long the server waits for a provider; short only where a test lets a provider be too slow. `change`:
 * another gateway in place of a simulator.
 */
export async function openPaymentFixture({
  timeoutSeconds = 10,
  startsAt,
  change = settings => settings,
}: FixtureOptions = {}) {
  const simulators = await startSimulators({
    portal: 'http://localhost:8080',
    deliver: () => undefined,
    slowMs: timeoutSeconds * 1_000 + 300,
  })
  const server = await startTestServer({
    env: { PAYMENT_PATIENCE_SECONDS: String(timeoutSeconds) },
    ...(startsAt !== undefined && { startsAt }),
    payments: settings => change(simulators.settings(settings)),
  })
  let applicantCount = 0

  /** Creates an application that can be paid, with its applicant. */
  async function newPaymentApplicant(name: SimulatorName) {
    applicantCount += 1
    // The last digit is fixed: with a number that ends with 56, the simulator of Collect asks for a code after the order.
    const phone = `${payers[name].prefix}${String(100_000 + applicantCount)}1`
    const { browser, applicationId } = await newApplicant(server)
    return createPaymentApplicant({
      server,
      simulator: simulators.simulators[name],
      name,
      browser,
      applicationId,
      phone,
    })
  }

  return {
    server,
    simulators: simulators.simulators,
    newPaymentApplicant,
    /** Sends a provider's webhooks and returns the HTTP statuses of the responses. */
    deliver: (webhooks: readonly WebhookCall[]) =>
      Promise.all(webhooks.map(webhook => deliver(server, webhook))),
    async close() {
      await simulators.close()
      await server.close()
    },
  }
}

async function newApplicant(server: TestServer) {
  const browser = await signInDirectly(server)
  const { id } = bodyOf(await browser.call('createApplication')).data
  bodyOf(await browser.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  return { browser, applicationId: id }
}

type PaymentApplicantParts = {
  server: TestServer
  simulator: Simulator
  name: SimulatorName
  browser: TestBrowser
  applicationId: ApplicationId
  phone: string
}

/** What a test does with one application: pays, lets time pass, and reads the result. */
function createPaymentApplicant(parts: PaymentApplicantParts) {
  const { server, simulator, name, browser, applicationId, phone } = parts
  return {
    applicationId,
    simulator,
    name,
    phone,
    browser,
    ...createPayActions(parts),
    ...createPaymentReads(parts),
    /**
     * Lets at most `seconds` pass for these payments, in rounds of the reconciler, until `done` is true. Returns the
     * seconds that passed; Infinity when `done` was never true.
     */
    async passSeconds(seconds: number, done: () => Promise<boolean> = async () => false) {
      for (let passed = 0; passed < seconds; passed += 5) {
        if (await done()) return passed
        await shiftPaymentTimes(server, applicationId, 5)
        await server.reconcile()
      }
      return (await done()) ? seconds : Infinity
    },
    /** Makes the stored times of these payments older, without a round of the reconciler. */
    makeOlderBySeconds: (seconds: number) => shiftPaymentTimes(server, applicationId, seconds),
  }
}

function createPayActions({ name, browser, applicationId, phone }: PaymentApplicantParts) {
  const { method, wallet, otp } = payers[name]
  const query = { applicationId }

  /** Presses Pay. For a card, the payer's browser also sends the gateway's form. Returns the HTTP status. */
  async function pay(): Promise<number> {
    if (method === 'MOBILE')
      return (await browser.call('startMobilePayment', { query: { ...query, phone } })).status
    if (method === 'AGGREGATOR') {
      const body = { phone, paymentMethod: wallet ?? '', name: 'Ngo Biyong', otp: otp ?? '' }
      return (await browser.call('startAggregatorPayment', { query, body })).status
    }
    const { status, form } = await askForCard()
    if (form) await sendForm(form)
    return status
  }

  /** Starts a card payment. `page`: the path of the server's own page with the gateway's form. */
  async function askForCard() {
    const answer =
      method === 'CARD_UBA'
        ? await browser.call('startUbaPayment', { query })
        : await browser.call('startCardPayment', {
            query,
            body: { method: method === 'BACM' ? 'BACM' : 'CARD' },
          })
    if (answer.kind === 'failed') return { status: answer.status, form: undefined }
    const { data, page } = answer.body
    if (typeof data === 'string') return { status: 200, form: readGatewayPage(data), page }
    const fields = Object.entries(data).map(([key, value]) => ({ name: key, value }))
    return { status: 200, form: { url: data.payment_url, fields, html: undefined }, page }
  }

  return { pay, askForCard }
}

function createPaymentReads({ server, browser, applicationId }: PaymentApplicantParts) {
  const { db } = server.services
  const stored = () => listPaymentsOf(db, applicationId)
  return {
    stored,
    /** Returns the newest order. */
    async order() {
      const [newest] = await stored()
      if (!newest) throw new Error('There is no order')
      return newest
    },
    async status() {
      return (await stored())[0]?.status
    },
    /** Polls the newest order. Returns its status, or the HTTP status of a refusal. */
    async poll() {
      const [newest] = await stored()
      const params = { id: (newest?.id ?? '') as PaymentId } // The id comes from the database.
      const answer = await browser.call('readPayment', { params, query: { applicationId } })
      return answer.kind === 'ok' ? answer.body.data.paymentStatus : answer.status
    },
    async attempts(): Promise<PaymentAttempt[]> {
      return bodyOf(await browser.call('listPaymentAttempts', { params: { id: applicationId } })).data
    },
    /**
     * Returns the state of the application, and counts its successful payments and the SMS about them. `counted`:
     * successes that are not due for refund.
     */
    async facts() {
      const payments = await stored()
      const application = await db
        .selectFrom('application')
        .select('state')
        .where('id', '=', applicationId)
        .executeTakeFirstOrThrow()
      const successes = payments.filter(({ status }) => status === 'SUCCESS')
      const messages = await db
        .selectFrom('outbox')
        .select('id')
        .where('key', 'in', [...payments.map(({ id }) => `payment:${id}:sms`), ''])
        .execute()
      return {
        state: application.state,
        successes: successes.length,
        counted: successes.filter(({ refund_due }) => !refund_due).length,
        refunds: successes.filter(({ refund_due }) => refund_due).length,
        messages: messages.length,
      }
    },
  }
}

/** Posts a gateway's form as a browser does. */
export function sendForm({ url, fields }: { url: string; fields: { name: string; value: string }[] }) {
  const body = new URLSearchParams(fields.map(({ name, value }) => [name, value]))
  return fetch(url, { method: 'POST', body })
}

async function deliver(server: TestServer, { method, url, headers, body }: WebhookCall): Promise<number> {
  const { pathname, search } = new URL(url)
  const answer = await server.app.inject({
    method,
    url: `${pathname}${search}`,
    headers,
    ...(method === 'GET' ? {} : { payload: body }),
  })
  return answer.statusCode
}

async function shiftPaymentTimes(server: TestServer, applicationId: string, seconds: number): Promise<void> {
  const back = (column: string) => sql<Date>`${sql.ref(column)} - make_interval(secs => ${seconds})`
  await server.services.db
    .updateTable('payment')
    .set({
      created_at: back('created_at'),
      sent_at: back('sent_at'),
      ask_at: back('ask_at'),
      asked_at: back('asked_at'),
      settled_at: back('settled_at'),
    })
    .where('application_id', '=', applicationId)
    .execute()
}
