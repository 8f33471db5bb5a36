import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { PaymentSettings } from '#server/config/payment-config.ts'
import { bankProtocol } from './bank-simulator.ts'
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

export type SimulatorObserver = (
  name: string,
  path: string,
  moment: 'asked' | 'done' | 'answered',
) => undefined | Promise<void | 'lost'>

export type Simulators = {
  origin: string
  simulators: Record<SimulatorName, Simulator>
  /** What makes a server speak to them. */
  settings(settings: PaymentSettings): PaymentSettings
  close(): Promise<void>
}

/** All providers on one local address, each below its own name. */
export async function startSimulators({
  portal,
  deliver,
  slow = 60_000,
  watch = () => undefined,
}: {
  /** Where call-backs go whose address is not part of a request. */
  portal: string
  /** Told of the call-backs of a card page's button. */
  deliver: (callBacks: WebhookCall[]) => void
  /** How long a slow provider takes; milliseconds. */
  slow?: number
  /** Told of each question before it is looked at, and once it was answered; one that is 'lost' never arrives. */
  watch?: SimulatorObserver
}): Promise<Simulators> {
  const at = { origin: '' }
  const bank = (name: string, path: string) => () => ({
    name,
    merchant: `sim-${path}`,
    secret: `sim-${path}-secret`,
    pageUrl: `${at.origin}/${path}/page`,
  })
  const [uba, bacm] = [bank('UBA', 'uba'), bank('Banque Atlantique', 'bacm')]
  const simulators = {
    mtn: createSimulator(mtnProtocol),
    orange: createSimulator(orangeProtocol),
    cinetpay: createSimulator(cinetPayProtocol),
    uba: createSimulator(bankProtocol(uba)),
    bacm: createSimulator(bankProtocol(bacm)),
    smobilpay: createSimulator(smobilpayProtocol(() => `${at.origin}/smobilpay`)),
    collect: createSimulator(collectProtocol(() => `${portal}/hooks/payments/collect`)),
  } satisfies Record<SimulatorName, Simulator>
  const server = createServer((request, response) => {
    void serve(request, response, { simulators, deliver, slow, watch })
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The simulators have no port.')
  at.origin = `http://127.0.0.1:${address.port}`
  return {
    origin: at.origin,
    simulators,
    settings: settings => ({
      ...settings,
      mtn: { url: `${at.origin}/mtn`, ...mtnAccount },
      orange: { url: `${at.origin}/orange`, ...orangeAccount },
      cinetPay: {
        apiUrl: `${at.origin}/cinetpay`,
        pageUrl: `${at.origin}/cinetpay/page`,
        ...cinetPayAccount,
      },
      uba: { url: `${at.origin}/uba`, ...uba() },
      bacm: { url: `${at.origin}/bacm`, ...bacm() },
      smobilpay: { url: `${at.origin}/smobilpay`, ...smobilpayAccount },
      collect: { url: `${at.origin}/collect`, ...collectAccount },
    }),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type SimulatorSetup = {
  simulators: Record<SimulatorName, Simulator>
  deliver: (callBacks: WebhookCall[]) => void
  slow: number
  watch: SimulatorObserver
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  world: SimulatorSetup,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const url = new URL(request.url ?? '/', 'http://simulator')
  const [, name = '', ...rest] = url.pathname.split('/')
  const found = simulatorNames.find(each => each === name)
  const asked = {
    method: request.method ?? '',
    path: `/${rest.join('/')}`,
    query: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  }
  if ((await world.watch(name, asked.path, 'asked')) === 'lost') return void request.socket.destroy()
  const given = found ? askOne(asked, world.simulators[found], world) : plain({ status: 404 })
  await world.watch(name, asked.path, 'done')
  if (given.behaviour === 'slow') await new Promise(resolve => setTimeout(resolve, world.slow))
  const { status = 200, headers = {}, body = '' } = given.answer
  response.writeHead(given.behaviour === 'garbage' ? 200 : status, { ...headers, connection: 'close' })
  response.end(given.behaviour === 'garbage' ? '<html>{"status":"SUCCESS' : body, () => {
    void world.watch(name, asked.path, 'answered')
  })
}

function askOne(
  asked: SimulatorRequest,
  simulator: Simulator,
  { deliver }: SimulatorSetup,
): { answer: SimulatorResponse; behaviour: SimulatorBehaviour } {
  if (asked.path !== '/decide') return simulator.answer(asked)
  const sent = new URLSearchParams(asked.body)
  const payment = simulator.payments.get(sent.get('order') ?? '')
  if (!payment) return plain({ status: 404 })
  deliver(simulator.decide(payment.orderId, sent.get('outcome') === 'success' ? 'success' : 'failed'))
  return plain({ status: 303, headers: { location: payment.returnTo } })
}

function plain(answer: SimulatorResponse): { answer: SimulatorResponse; behaviour: SimulatorBehaviour } {
  return { answer, behaviour: 'well' }
}
