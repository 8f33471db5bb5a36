import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { PaymentSettings } from '#server/config/payment-config.ts'
import { type BankAccount, bankProtocol } from './bank-simulator.ts'
import { cinetPayAccount, cinetPayProtocol } from './cinetpay-simulator.ts'
import { collectAccount, collectProtocol } from './collect-simulator.ts'
import { mtnAccount, mtnProtocol } from './mtn-simulator.ts'
import { orangeAccount, orangeProtocol } from './orange-simulator.ts'
import {
  type SimulatorResponse,
  type SimulatorRequest,
  createSimulator,
  type SimulatorBehaviour,
  type WebhookCall,
  type Simulator,
} from './simulator.ts'
import { smobilpayAccount, smobilpayProtocol } from './smobilpay-simulator.ts'

export const simulatorNames = ['mtn', 'orange', 'cinetpay', 'uba', 'bacm', 'smobilpay', 'collect'] as const
export type SimulatorName = (typeof simulatorNames)[number]

type SimulatorObserver = (
  name: string,
  path: string,
  moment: 'received' | 'done' | 'answered',
) => undefined | Promise<void | 'lost'>

export type Simulators = {
  origin: string
  simulators: Record<SimulatorName, Simulator>
  /** Returns the payment settings with which a server calls the simulators. */
  settings(settings: PaymentSettings): PaymentSettings
  close(): Promise<void>
}

export type SimulatorOptions = {
  /** The portal's address, for webhooks whose address is not part of a request. */
  portal: string
  /** Called with the webhooks that a button of a card page causes. */
  deliver: (webhooks: WebhookCall[]) => void
  /** How long a slow provider takes to answer. */
  slowMs?: number
  /** Called before a request is handled, after it was handled and after it was answered. A `lost` request is not handled. */
  watch?: SimulatorObserver
}

/**
 * Starts the simulators of all providers on one local address, each below its own name.
 *
 * @throws when the server gets no port
 */
export async function startSimulators({
  portal,
  deliver,
  slowMs = 60_000,
  watch = () => undefined,
}: SimulatorOptions): Promise<Simulators> {
  const address = { origin: '' }
  const banks = bankAccounts(address)
  const simulators = createSimulators({ portal, address, banks })
  const server = createServer((request, response) => {
    void serve(request, response, { simulators, deliver, slowMs, watch })
  })
  address.origin = await listenLocally(server)
  return {
    origin: address.origin,
    simulators,
    settings: settings => ({ ...settings, ...providerSettings(address.origin, banks) }),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The address of all simulators: known only once the server listens, and read with each request. */
type SimulatorAddress = { origin: string }

type BankAccounts = Record<'uba' | 'bacm', () => BankAccount>

function bankAccounts(address: SimulatorAddress): BankAccounts {
  const account = (name: string, path: string) => () => ({
    name,
    merchant: `sim-${path}`,
    secret: `sim-${path}-secret`,
    pageUrl: `${address.origin}/${path}/page`,
  })
  return { uba: account('UBA', 'uba'), bacm: account('Banque Atlantique', 'bacm') }
}

function createSimulators({
  portal,
  address,
  banks,
}: {
  portal: string
  address: SimulatorAddress
  banks: BankAccounts
}): Record<SimulatorName, Simulator> {
  return {
    mtn: createSimulator(mtnProtocol),
    orange: createSimulator(orangeProtocol),
    cinetpay: createSimulator(cinetPayProtocol),
    uba: createSimulator(bankProtocol(banks.uba)),
    bacm: createSimulator(bankProtocol(banks.bacm)),
    smobilpay: createSimulator(smobilpayProtocol(() => `${address.origin}/smobilpay`)),
    collect: createSimulator(collectProtocol(() => `${portal}/hooks/payments/collect`)),
  }
}

async function listenLocally(server: Server): Promise<string> {
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The simulators have no port.')
  return `http://127.0.0.1:${address.port}`
}

function providerSettings(origin: string, { uba, bacm }: BankAccounts) {
  return {
    mtn: { url: `${origin}/mtn`, ...mtnAccount },
    orange: { url: `${origin}/orange`, ...orangeAccount },
    cinetPay: { apiUrl: `${origin}/cinetpay`, pageUrl: `${origin}/cinetpay/page`, ...cinetPayAccount },
    uba: { url: `${origin}/uba`, ...uba() },
    bacm: { url: `${origin}/bacm`, ...bacm() },
    smobilpay: { url: `${origin}/smobilpay`, ...smobilpayAccount },
    collect: { url: `${origin}/collect`, ...collectAccount },
  }
}

type SimulatorSetup = Required<Omit<SimulatorOptions, 'portal'>> & {
  simulators: Record<SimulatorName, Simulator>
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  setup: SimulatorSetup,
): Promise<void> {
  const requestBody = await readBody(request)
  const address = `http://simulator${request.url}`
  if (requestBody === undefined || !URL.canParse(address)) return void request.socket.destroy()
  const url = new URL(address)
  const [, name = '', ...rest] = url.pathname.split('/')
  const simulatorName = simulatorNames.find(each => each === name)
  const simulatorRequest = {
    method: request.method ?? '',
    path: `/${rest.join('/')}`,
    query: url.searchParams,
    headers: request.headers,
    body: requestBody,
  }
  if ((await setup.watch(name, simulatorRequest.path, 'received')) === 'lost')
    return void request.socket.destroy()
  const handled = simulatorName
    ? handleRequest(simulatorRequest, setup.simulators[simulatorName], setup)
    : plain({ status: 404 })
  await setup.watch(name, simulatorRequest.path, 'done')
  if (handled.behaviour === 'slow') await new Promise(resolve => setTimeout(resolve, setup.slowMs))
  const { status = 200, headers = {}, body = '' } = handled.answer
  response.writeHead(handled.behaviour === 'garbage' ? 200 : status, { ...headers, connection: 'close' })
  response.end(handled.behaviour === 'garbage' ? '<html>{"status":"SUCCESS' : body, () => {
    void setup.watch(name, simulatorRequest.path, 'answered')
  })
}

/** Undefined when the caller leaves before the end of its request. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString()
}

function handleRequest(
  request: SimulatorRequest,
  simulator: Simulator,
  { deliver }: SimulatorSetup,
): { answer: SimulatorResponse; behaviour: SimulatorBehaviour } {
  if (request.path !== '/decide') return simulator.answer(request)
  const decision = new URLSearchParams(request.body)
  const payment = simulator.payments.get(decision.get('order') ?? '')
  if (!payment) return plain({ status: 404 })
  deliver(simulator.decide(payment.orderId, decision.get('outcome') === 'success' ? 'success' : 'failed'))
  return plain({ status: 303, headers: { location: payment.returnTo } })
}

function plain(answer: SimulatorResponse): { answer: SimulatorResponse; behaviour: SimulatorBehaviour } {
  return { answer, behaviour: 'normal' }
}
