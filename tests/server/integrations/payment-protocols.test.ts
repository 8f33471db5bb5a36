import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import { walletOfNumber } from '#server/integrations/by-channel.ts'
import type {
  GatewayForm,
  PaymentOrder,
  PaymentProvider,
  PaymentProviders,
} from '#server/integrations/payment-provider.ts'
import {
  type Simulators,
  simulatorNames,
  startSimulators,
} from '#server/integrations/simulators/start-simulators.ts'
import { configOf } from '#support/servers/services-on.ts'
import { payers } from '../payments/payment-fixture.ts'

let simulators: Simulators
let providers: PaymentProviders

beforeAll(async () => {
  simulators = await startSimulators({ portal: 'http://localhost', deliver: () => undefined })
  providers = providersOf(settings => simulators.settings(settings))
})
afterAll(() => simulators?.close())

type Settings = Parameters<Simulators['settings']>[0]

function providersOf(change: (settings: Settings) => Settings): PaymentProviders {
  const config = configOf()
  return paymentProviders({ config: { ...config, payments: change(config.payments) }, clock: machineClock })
}

let orders = 0
function order(more: Partial<PaymentOrder> = {}): PaymentOrder {
  orders += 1
  return {
    paymentId: crypto.randomUUID(),
    orderId: `PO-2026-${orders}`,
    amount: 110_000,
    currency: 'XAF',
    phone: '237671234567',
    channel: 'MTN MoMo',
    reference: undefined,
    returnTo: 'http://localhost/pay/return',
    language: 'fr',
    orderedAt: machineClock.now(),
    ...more,
  }
}

describe('the simulators', () => {
  it('keep running after a browser that leaves during its request, and after an invalid address', async () => {
    const { hostname, port } = new URL(simulators.origin)
    const halfRequest = 'POST /uba/decide HTTP/1.1\r\nhost: simulator\r\ncontent-length: 100\r\n\r\norder='
    const requests = [halfRequest, 'GET http://[ HTTP/1.1\r\nhost: simulator\r\n\r\n']
    for (const request of requests) {
      const socket = connect(Number(port), hostname).resume()
      await once(socket, 'connect')
      await new Promise(resolve => socket.write(request, resolve))
      socket.end()
      await once(socket, 'close')
    }
    expect((await fetch(`${simulators.origin}/nobody/page`)).status).toBe(404)
  })
})

describe('MTN MoMo', () => {
  it('treats RESOURCE_ALREADY_EXIST as an earlier try of the same payment (D42)', async () => {
    const first = order()
    const before = simulators.simulators.mtn.payments.size
    expect(await providers.MOBILE?.start(first, undefined)).toMatchObject({ kind: 'accepted' })
    expect(await providers.MOBILE?.start(first, undefined)).toMatchObject({ kind: 'accepted' })
    expect(simulators.simulators.mtn.payments.size - before).toBe(1)
    expect(await providers.MOBILE?.queryStatus(order())).toEqual({ kind: 'missing' })
  })

  it('refuses a number without a wallet (ERR14)', async () => {
    expect(await providers.MOBILE?.start(order({ phone: '33612345678' }), undefined)).toEqual({
      kind: 'refused',
      problem: 'order-not-created',
      failure: 'no-account',
    })
  })
})

describe('a wallet by the payer’s number', () => {
  it.each([
    ['237671234567', 'MTN MoMo'],
    ['237650000000', 'MTN MoMo'],
    ['237680000000', 'MTN MoMo'],
    ['237655000000', 'Orange Money'],
    ['237690000000', 'Orange Money'],
    ['237640000000', 'Orange Money'],
    ['237620000000', undefined],
    ['33612345678', undefined],
  ])('%s is %s', (phone, wallet) => {
    expect(walletOfNumber(phone)).toBe(wallet)
    // A number of an unknown operator is not refused.
    expect(providers.MOBILE?.channelOf?.(phone, undefined)).toBe(wallet ?? 'MTN MoMo')
  })

  it('is the only configured wallet, also for a number of another operator', () => {
    const alone = providersOf(settings => ({ ...settings, orange: simulators.settings(settings).orange }))
    expect(alone.MOBILE?.channelOf?.('237671234567', undefined)).toBe('Orange Money')
    expect(Object.keys(alone)).toEqual(['MOBILE', 'MOCK'])
  })
})

describe('the aggregators', () => {
  it('give Smobilpay its own wallets, and the aggregator "collect" those that Smobilpay lacks (PAY12, PAY15)', async () => {
    const aggregatorOf = {
      'MTN-Money': 'smobilpay',
      'Orange-Money': 'smobilpay',
      'Express-Union': 'smobilpay',
      'Yoomee-Money': 'collect',
    } as const
    expect(providers.AGGREGATOR?.wallets).toEqual(Object.keys(aggregatorOf))
    const { smobilpay, collect } = simulators.simulators
    for (const [channel, aggregator] of Object.entries(aggregatorOf)) {
      const one = order({ channel })
      const payer = { name: 'Ngo', paymentMethod: channel, code: '471147' }
      await providers.AGGREGATOR?.start(one, payer)
      const has = {
        smobilpay: smobilpay.payments.has(one.orderId),
        collect: collect.payments.has(one.orderId),
      }
      expect(has, channel).toEqual({ smobilpay: false, collect: false, [aggregator]: true })
    }
  })

  it('report the success of an order that Smobilpay got twice (D42)', async () => {
    const twice = order({ channel: 'MTN-Money' })
    const payer = { name: 'Ngo', paymentMethod: 'MTN-Money', code: '' }
    await providers.AGGREGATOR?.start(twice, payer)
    await providers.AGGREGATOR?.start(twice, payer)
    simulators.simulators.smobilpay.decide(twice.orderId, 'success')
    expect(await providers.AGGREGATOR?.queryStatus(twice)).toMatchObject({ kind: 'success', amount: 110_000 })
  })

  it.each([
    ['SUCCESS', 'PENDING'],
    ['PENDING', 'SUCCESS'],
    ['ERRORED', 'SUCCESS'],
  ])(
    'count the succeeded payment of one order that Smobilpay lists as %s and %s (D42)',
    async (...statuses) => {
      const listed = order({ channel: 'MTN-Money' })
      const payments = statuses.map((status, index) => ({
        ptn: `ptn-${index}`,
        status,
        trid: listed.orderId,
        priceLocalCur: '110000',
        localCur: 'XAF',
      }))
      const gateway = await startGateway(response =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(payments)),
      )
      try {
        const { AGGREGATOR } = providersOf(settings => gateway.inFrontOf(simulators.settings(settings)))
        expect(await AGGREGATOR?.queryStatus(listed)).toMatchObject({
          kind: 'success',
          orderId: listed.orderId,
          amount: 110_000,
          operatorReference: `ptn-${statuses.indexOf('SUCCESS')}`,
        })
      } finally {
        gateway.close()
      }
    },
  )

  it('answer a specific refusal for an invalid payer name (ERR15)', async () => {
    const failureOf = { 'MTN-Money': {}, 'Yoomee-Money': { failure: 'unknown' } }
    for (const [channel, failure] of Object.entries(failureOf))
      expect(
        await providers.AGGREGATOR?.start(order({ channel }), {
          name: 'Ngo 2',
          paymentMethod: channel,
          code: '47',
        }),
      ).toEqual({ kind: 'refused', problem: 'payer-name-invalid', ...failure })
  })
})

describe('Orange Money', () => {
  it('is not prepared by an answer with another status than 200, whatever its body is (D42)', async () => {
    let status = 200
    const body = JSON.stringify({ data: { payToken: 'MP1' } })
    const gateway = await startGateway(response =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body),
    )
    try {
      const { MOBILE } = providersOf(settings => gateway.inFrontOf(simulators.settings(settings)))
      const sent = order({ channel: 'Orange Money' })
      expect(await MOBILE?.prepare?.(sent)).toEqual({ kind: 'prepared', reference: 'MP1' })
      status = 503
      expect(await MOBILE?.prepare?.(sent)).toEqual({ kind: 'unknown' })
    } finally {
      gateway.close()
    }
  })
})

describe('a provider with the wrong key', () => {
  it('reports an unknown status for every order (D42)', async () => {
    const wrong = providersOf(settings => {
      const right = simulators.settings(settings)
      return {
        ...right,
        mtn: { ...right.mtn, apiKey: 'wrong' },
        orange: { ...right.orange, authToken: 'wrong' },
        cinetPay: { ...right.cinetPay, apiKey: 'wrong' },
        uba: { ...right.uba, secret: 'wrong' },
        smobilpay: { ...right.smobilpay, secret: 'wrong' },
        collect: { ...right.collect, key: 'wrong' },
      }
    })
    const orangeOrder = order({ channel: 'Orange Money', reference: 'MP1' })
    expect(await wrong.MOBILE?.queryStatus(order())).toEqual({ kind: 'unknown', reason: 'gives no token' })
    expect(await wrong.MOBILE?.queryStatus(orangeOrder)).toEqual({ kind: 'unknown' })
    expect(await wrong.CARD?.queryStatus(order())).toEqual({ kind: 'unknown', reason: 'INCORRECT_SETTINGS' })
    expect(await wrong.CARD_UBA?.queryStatus(order())).toEqual({ kind: 'unknown' })
    expect(await wrong.AGGREGATOR?.queryStatus(order({ channel: 'MTN-Money' }))).toEqual({ kind: 'unknown' })
    expect(await wrong.AGGREGATOR?.queryStatus(order({ channel: 'Yoomee-Money' }))).toEqual({
      kind: 'unknown',
    })
  })
})

describe('an order that was never sent', () => {
  it.each([
    ['MTN MoMo', 'MOBILE', 'MTN MoMo'],
    ['Orange Money', 'MOBILE', 'Orange Money'],
    ['CinetPay', 'CARD', ''],
    ['UBA', 'CARD_UBA', ''],
    ['Banque Atlantique', 'BACM', ''],
    ['Smobilpay', 'AGGREGATOR', 'MTN-Money'],
    ['collect', 'AGGREGATOR', 'Yoomee-Money'],
  ] as const)(
    'is missing when %s itself says so, and unknown when a proxy in front of it answers 404 (D42)',
    async (_, method, channel) => {
      const unknown = order({ channel, reference: 'MP1' })
      expect(await providers[method]?.queryStatus(unknown)).toEqual({ kind: 'missing' })
      const proxy = await startProxyWithoutPages()
      try {
        const all = providersOf(settings => proxy.inFrontOf(simulators.settings(settings)))
        for (const body of bodiesOfProxies) {
          proxy.answerWith(body)
          expect(await all[method]?.queryStatus(unknown), body).toEqual({ kind: 'unknown' })
        }
        expect(proxy.requestCount()).toBeGreaterThan(1)
      } finally {
        proxy.close()
      }
    },
  )
})

/** Sends the form of a card gateway, as the payer's browser does. */
async function sendForm({ url, fields }: GatewayForm): Promise<void> {
  const body = new URLSearchParams(fields.map(({ name, value }) => [name, value]))
  await fetch(url, { method: 'POST', body, redirect: 'manual' })
}

describe('sending one order', () => {
  describe.each(simulatorNames)('by %s', name => {
    const { method, prefix, wallet = '', otp = '' } = payers[name]
    const payer = { name: 'Ngo', paymentMethod: wallet, code: otp }
    const phone = `${prefix}1234567`
    const orderOf = (provider: PaymentProvider | undefined) =>
      order({ phone, channel: provider?.channelOf?.(phone, payer) ?? '' })

    const takesOnlyXaf = ['mtn', 'orange', 'smobilpay'].includes(name)
    it.each(['EUR', 'USD'])(
      `${takesOnlyXaf ? 'is refused' : 'asks for the fee in whole units, not in cents,'} in %s (D15)`,
      async currency => {
        const provider = providers[method]
        const sent = { ...orderOf(provider), amount: 150, currency }
        const prepared = await provider?.prepare?.(sent)
        const reference = prepared?.kind === 'prepared' ? prepared.reference : undefined
        const started = await provider?.start({ ...sent, reference }, payer)
        if (started?.kind === 'accepted' && started.form) await sendForm(started.form)
        const payment = simulators.simulators[name].payments.get(sent.orderId)
        if (takesOnlyXaf) {
          expect(started).toMatchObject({ kind: 'refused' })
          expect(payment).toBeUndefined()
        } else {
          expect(started).toMatchObject({ kind: 'accepted' })
          expect(payment).toMatchObject({ amount: 150, currency })
        }
      },
    )

    it('takes at most four requests when the gateway accepts it (D76)', async () => {
      let count = 0
      const watch = (_name: string, _path: string, moment: string) => {
        if (moment === 'received') count += 1
        return undefined
      }
      const counted = await startSimulators({ portal: 'http://localhost', deliver: () => undefined, watch })
      try {
        const provider = providersOf(settings => counted.settings(settings))[method]
        const sent = orderOf(provider)
        const prepared = await provider?.prepare?.(sent)
        const reference = prepared?.kind === 'prepared' ? prepared.reference : undefined
        count = 0
        expect(await provider?.start({ ...sent, reference }, payer)).toMatchObject({ kind: 'accepted' })
        expect(count).toBeGreaterThan(0)
        expect(count).toBeLessThanOrEqual(4)
      } finally {
        await counted.close()
      }
    })

    it('takes at most four requests when the gateway gives tokens and answers 401 to all other requests (D76)', async () => {
      const gateway = await startRefusingGateway()
      try {
        const all = providersOf(settings => gateway.inFrontOf(simulators.settings(settings)))
        const sent = { ...orderOf(all[method]), reference: 'token of the payment' }
        await all[method]?.start(sent, payer)
        expect(gateway.requestCount()).toBeGreaterThan(0)
        expect(gateway.requestCount()).toBeLessThanOrEqual(4)
      } finally {
        gateway.close()
      }
    })
  })
})

/** A gateway that gives tokens and answers 401 to every other request, also when the provider uses no tokens. */
async function startRefusingGateway() {
  return startGateway(response => response.writeHead(401).end())
}

/** What proxies and API gateways answer with status 404 when they have no route to the service behind them. */
const bodiesOfProxies = [
  '<html><h1>404 Not Found</h1></html>',
  '{"error":"no route"}',
  '{"message":"no route"}',
  '{"code":60,"message":"not found","description":"The resource does not exist."}',
]

/** A proxy that gives tokens and finds nothing else, because the service behind it is down. */
async function startProxyWithoutPages() {
  let body = ''
  const gateway = await startGateway(response => {
    const type = body.startsWith('{') ? 'application/json' : 'text/html'
    response.writeHead(404, { 'content-type': type }).end(body)
  })
  return {
    ...gateway,
    answerWith(next: string) {
      body = next
    },
  }
}

async function startGateway(answer: (response: ServerResponse) => void) {
  let count = 0
  const token = JSON.stringify({ access_token: 'token', expires_in: 3_600 })
  const server = createServer(({ url = '' }, response) => {
    count += 1
    if (/token\/?$/.test(url)) response.writeHead(200, { 'content-type': 'application/json' }).end(token)
    else answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    requestCount: () => count,
    /** The settings with this gateway in place of the simulators. */
    inFrontOf: (settings: Settings): Settings =>
      JSON.parse(JSON.stringify(settings).replaceAll(simulators.origin, `http://127.0.0.1:${port}`)),
    close: () => server.close(),
  }
}
